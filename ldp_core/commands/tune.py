"""The command `tune`: the inverse question, asked here; each run and then the answer as JSON lines."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

from ldp_core.errors import InvalidExperiment, Problem, shown
from ldp_core.experiment import Experiment
from ldp_core.experiment.sweep import read_values


def command_of_tune(
    added: argparse.ArgumentParser, experiment: Callable[[argparse.Namespace], Experiment]
) -> None:
    """Give the command its options; `experiment` reads the one that it starts from."""
    added.set_defaults(experiment_of=experiment)
    added.add_argument("experiment", metavar="EXPERIMENT.json", help="a JSON file, or - for stdin")
    added.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", action="extend")
    added.add_argument("--accuracy", required=True, metavar="SHARE", help="to reach, like 0.85")
    added.add_argument("--ranges", metavar="TAU,TAU", help="half-widths to choose among")
    words = "of uploads of one image each, of which an attacker may pick the right one among ten, like 0.3"
    added.add_argument("--identification", metavar="SHARE", help=words)
    added.add_argument("--run-budget", metavar="EPSILON", help="that a whole run may cost a client at most")


def tune(options: argparse.Namespace) -> int:
    """Ask, and print."""
    from ldp_core.datasets import quiet
    from ldp_core.runs import kinds
    from ldp_core.runs.kinds.tune import search
    from ldp_core.runs.lockstep import one_thread

    base = options.experiment_of(options)
    data = {
        "base": base.as_json(),
        "accuracy": _number("--accuracy", options.accuracy),
        "ranges": None if options.ranges is None else read_values(options.ranges),
        **{
            name: None if text is None else _number(f"--{name.replace('_', '-')}", text)
            for name, text in (
                ("run_budget", options.run_budget),
                ("identification", options.identification),
            )
        },
    }
    kind = kinds.get("tune")
    asked = kind.read(data, {})
    kind.refuse_what_cannot_fit(asked)
    one_thread()
    for event in search(asked, [], quiet):
        print(json.dumps(event, allow_nan=False), flush=True)
    return 0


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidExperiment([Problem(name, f"takes a number; got {shown(text)}")]) from None
