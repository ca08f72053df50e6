"""The commands `invert` and `allocate`: answers by formula, as JSON lines."""

import argparse
import json
import math
from collections.abc import Callable
from typing import Any

from ldp_core.commands.options import Reader, add_experiment, number
from ldp_core.errors import InvalidExperiment, StudioError

ASKED = {
    "noise": "a σ per weight in the aggregate: the least ε that leaves no more",
    "epsilon": "an ε, the same for all: the noise that it leaves; with --noise, how many clients it takes",
    "run_budget": "what a whole run may cost a client at most: the largest ε that does not cost more",
}


def command_of_invert(added: argparse.ArgumentParser, experiment: Reader) -> None:
    """Add the command's options; `experiment` reads the base experiment."""
    add_experiment(added, experiment)
    for name, words in ASKED.items():
        added.add_argument(f"--{name.replace('_', '-')}", metavar="NUMBER", help=words)


def command_of_allocate(added: argparse.ArgumentParser, experiment: Reader) -> None:
    """Add the command's options; the budgets and ranges of the base experiment are the limits."""
    add_experiment(added, experiment)
    added.add_argument("--need", metavar="TAU", help="how far from 0 weights reach; no range is wider")


def invert(options: argparse.Namespace) -> int:
    """Print a JSON line per answer, with the request, or with the reason why there is none. Raises
    StudioError: no request has an answer.
    """
    from ldp_core.tuning import inverses

    base = options.experiment_of(options)
    asked = {name: number(name, text) for name in ASKED if (text := getattr(options, name)) is not None}
    if not asked:
        raise InvalidExperiment.at("--noise", "or --epsilon or --run-budget is needed; got none")
    questions: dict[tuple[str, ...], Callable[..., inverses.Follows]] = {
        ("noise",): lambda sigma: inverses.at_noise(base, sigma),
        ("epsilon",): lambda epsilon: inverses.follows(base, epsilon),
        ("run_budget",): lambda budget: inverses.at_run_budget(base, budget),
        ("noise", "epsilon"): lambda sigma, epsilon: inverses.clients_for(base, epsilon, sigma),
    }
    lines, wrong = [], []
    for names, ask in questions.items():
        if set(names) <= set(asked):
            own = {name: asked[name] for name in names}
            try:
                lines.append({"asked": own, **ask(*own.values()).as_json()})
            except StudioError as error:
                wrong.append(error)
                lines.append({"asked": own, "why": str(error)})
    if len(wrong) == len(lines):
        raise wrong[0]
    for line in lines:
        _say(line)
    return 0


def allocate(options: argparse.Namespace) -> int:
    """Print the noise at the server, then a JSON line per client."""
    from ldp_core.tuning import allocation

    need = None if options.need is None else number("need", options.need)
    found = allocation.allocate(options.experiment_of(options), need)
    worst, middle = (
        {name: math.sqrt(left) for name, left in each.items()} for each in (found.left, found.mid_range)
    )
    _say({"event": "noise", "sigma": worst, "sigma_in_mid_range": middle, "clipped": found.clipped})
    clients = found.experiment.clients
    low, high = clients.bounds()
    columns = {
        "epsilon": clients.budgets(),
        "low": low,
        "high": high,
        "weight": found.weights,
        "noise_if_permissive": found.if_like(found.least),
        "noise_without": found.without(),
        "noise_without_under_mean": found.without(allocation.MEAN),
    }
    for i, row in enumerate(zip(*(column.tolist() for column in columns.values()), strict=True)):
        numbers = {n: v if math.isfinite(v) else None for n, v in zip(columns, row, strict=True)}
        _say({"event": "client", "client": i + 1, **numbers})
    return 0


def _say(line: dict[str, Any]) -> None:
    print(json.dumps(line, allow_nan=False), flush=True)
