"""Options that several commands have."""

import argparse
from collections.abc import Callable

from ldp_core.errors import InvalidExperiment, shown
from ldp_core.experiment import Experiment

Reader = Callable[[argparse.Namespace], Experiment]


def add_experiment(
    added: argparse.ArgumentParser, experiment: Reader | None = None, metavar: str = "EXPERIMENT.json"
) -> None:
    """Add an experiment's file and changes; `experiment` reads both."""
    added.set_defaults(experiment_of=experiment)
    added.add_argument("experiment", metavar=metavar, help="a JSON file, or - for stdin")
    added.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", action="extend")


def number(name: str, text: str) -> float:
    """Value of an option by its name as an attribute. Raises InvalidExperiment: the text is no number."""
    try:
        return float(text)
    except ValueError:
        option = f"--{name.replace('_', '-')}"
        raise InvalidExperiment.at(option, f"takes a number; got {shown(text)}") from None
