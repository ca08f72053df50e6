"""Options of `sweep` and `submit` that choose the settings of a sweep."""

import argparse
from collections.abc import Sequence
from typing import Any

from ldp_core.errors import InvalidExperiment, Problem, shown
from ldp_core.experiment import typed
from ldp_core.experiment.sweep import read_values


def add_options(added: argparse.ArgumentParser) -> None:
    added.add_argument("--grid", action="append", default=[], metavar="NAME=VALUE,VALUE")
    added.add_argument("--seeds", metavar="N", help="of each cell; 1 by default")


def given(options: argparse.Namespace) -> str:
    """Name of the first sweep option that is set; "" if none is."""
    names = ("grid", "seeds")
    return next((f"--{name}" for name in names if getattr(options, name, None)), "")


def swept(data: Any, options: argparse.Namespace) -> Any:
    """Sweep as JSON: an experiment, or a sweep from a file, with these options applied."""
    if not isinstance(data, dict):
        return data
    whole = dict(data) if {"base", "grid"} & {*data} else {"base": data}
    if options.seeds is not None:
        whole["seeds"] = typed(options.seeds)
    return whole | {"grid": _values(options.grid, dict(whole.get("grid") or {}))}


def _values(pairs: Sequence[str], known: dict[str, Any]) -> dict[str, Any]:
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not (name and equals):
            like = "takes NAME=VALUE,VALUE…, like clients.epsilon=0.5,1,2"
            raise InvalidExperiment.at("--grid", f"{like}; got {shown(pair)}")
        if name in known:
            raise InvalidExperiment.at(name, "is named twice")
        try:
            known[name] = read_values(text)
        except InvalidExperiment as error:
            raise InvalidExperiment([Problem(name, p.message) for p in error.problems]) from None
    return known
