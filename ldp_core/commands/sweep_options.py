"""Options of `sweep` and `submit` that choose the settings of a sweep."""

import argparse
from collections.abc import Sequence
from typing import Any

from ldp_core.errors import InvalidExperiment, Problem, shown
from ldp_core.experiment import typed
from ldp_core.experiment.sweep import WAYS, read_values


def add_options(added: argparse.ArgumentParser) -> None:
    added.add_argument("--grid", action="append", default=[], metavar="NAME=VALUE,VALUE")
    words = "a range, met evenly by the --points settings that are drawn (a Latin hypercube)"
    added.add_argument("--latin", action="append", default=[], metavar="NAME=LOW,HIGH", help=words)
    added.add_argument("--points", metavar="N", help="with --latin: how many settings; 20 by default")
    added.add_argument("--seeds", metavar="N", help="of each cell; 1 by default")


def given(options: argparse.Namespace) -> str:
    """Name of the first sweep option that is set; "" if none is."""
    names = ("grid", "latin", "points", "seeds")
    return next((f"--{name}" for name in names if getattr(options, name, None)), "")


def swept(data: Any, options: argparse.Namespace) -> Any:
    """Sweep as JSON: an experiment, or a sweep from a file, with these options applied."""
    if not isinstance(data, dict):
        return data
    whole = dict(data) if {"base", *WAYS} & set(data) else {"base": data}
    if options.seeds is not None:
        whole["seeds"] = typed(options.seeds)
    if options.latin:
        points = 20 if options.points is None else typed(options.points)
        return whole | {"latin": {"fields": _values(options.latin, "--latin", {}), "points": points}}
    if options.points is not None:
        raise InvalidExperiment.at("--points", "belongs to --latin NAME=LOW,HIGH")
    if not options.grid and {"list", "latin"} & set(whole):
        return whole
    return whole | {"grid": _values(options.grid, "--grid", dict(whole.get("grid") or {}))}


def _values(pairs: Sequence[str], option: str, known: dict[str, Any]) -> dict[str, Any]:
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not (name and equals):
            like = "NAME=VALUE,VALUE…, like clients.epsilon=0.5,1,2"
            if option == "--latin":
                like = "NAME=LOW,HIGH, like clients.epsilon=0.5,8"
            raise InvalidExperiment.at(option, f"takes {like}; got {shown(pair)}")
        if name in known:
            raise InvalidExperiment.at(name, "is named twice")
        try:
            known[name] = read_values(text)
        except InvalidExperiment as error:
            raise InvalidExperiment([Problem(name, p.message) for p in error.problems]) from None
    return known
