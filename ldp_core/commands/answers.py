"""The commands `ask`, which searches a design in this process, and `invert`, which answers by formula."""

import argparse
import json
from collections.abc import Callable

from ldp_core.commands.options import Reader, add_experiment, number
from ldp_core.errors import InvalidExperiment, StudioError
from ldp_core.experiment.reading import typed

ASKED = {
    "noise": "a σ per weight in the aggregate: the least ε that leaves no more",
    "epsilon": "an ε, the same for all: the noise that it leaves; with --noise, how many clients it takes",
    "run_budget": "what a whole run may cost a client at most: the largest ε that does not cost more",
}


def command_of_ask(added: argparse.ArgumentParser) -> None:
    added.add_argument("--unit", metavar="NAME", help="client (by default) or record: whose secret it is")
    added.add_argument("--trust", metavar="NAME", help="no_one (by default), shuffler, secure_sum or server")
    added.add_argument("--clients", metavar="NUMBER", help="that take part")
    added.add_argument("--records", metavar="NUMBER", help="that each holds; by default all are dealt out")
    added.add_argument("--dataset", metavar="NAME")
    added.add_argument("--model", metavar="NAME", help="that is trained; by default what learns best")
    added.add_argument("--epsilon", metavar="NUMBER", help="for all that a client sends: the best accuracy")
    added.add_argument("--accuracy", metavar="SHARE", help="like 0.85: the least ε that reaches it")
    added.add_argument("--seed", metavar="NUMBER")
    added.add_argument("--confirmed", action="store_true", help="train the best designs with fresh seeds")


def ask(options: argparse.Namespace) -> int:
    """Print the answer to a question of one's own as a JSON object; exit code 1 if nothing was found."""
    from ldp_core.library import ask as answer
    from ldp_core.runs import one_thread

    one_thread()
    names = ("unit", "trust", "clients", "records", "dataset", "model", "epsilon", "accuracy", "seed")
    given = {name: typed(text) for name in names if (text := getattr(options, name)) is not None}
    found = answer(**given, confirmed=options.confirmed)
    print(json.dumps(found, allow_nan=False))
    return 0 if found["found"] else 1


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
