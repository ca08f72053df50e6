"""The command `invert`: answers by formula, as JSON lines."""

import argparse
import json
from collections.abc import Callable

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
        print(json.dumps(line, allow_nan=False), flush=True)
    return 0
