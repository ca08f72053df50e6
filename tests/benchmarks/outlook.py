"""How often the verdict before training is right, and what it costs.

`python -m tests.benchmarks.outlook [FIRST LAST [systems]]`: settings by number, a third each as one gets by
moving a page's controls, wild ones (tests/benchmarks/outsider.py), and with a trust; every other one on other
data than digits. With the word “systems”, those of published systems. The truth is one real run.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ldp_core import presets
from ldp_core.cost.seconds import USUAL, seconds, work_of
from ldp_core.datasets import Data
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.federated.federation import assemble, choose_device
from ldp_core.pilot import pilot
from ldp_core.runs import load
from ldp_core.simulate import simulate
from ldp_core.system.threads import one_thread
from ldp_core.theory.learnability import Outlook, word_of
from tests.benchmarks import outsider

SPACE = 5801
"""The space of settings that no one looked at while the rule was made."""
MOST_SECONDS = 20.0
"""Largest estimate of a run that the benchmark waits for."""
Drawing = Callable[[outsider.Draw, int], dict[str, Any]]
OTHERS = ("mnist_sample", "mnist_sample", "mnist_sample", "mnist")


def experiment(number: int, kinds: Sequence[Drawing], space: int = SPACE) -> Experiment:
    """Setting by number: the first that is possible among those that its draws give."""
    for attempt in range(1000):
        draw = outsider.Draw(space, 1000 * number + attempt)
        try:
            changes = kinds[number % len(kinds)](draw, 1000 * number + attempt)
            one = parse(changes | {"attack": None, "seed": draw.whole(0, 9999)})
        except StudioError:
            continue
        if seconds([work_of(plan(one))], USUAL) <= MOST_SECONDS and (number % 2 == 1) == (
            one.dataset != "digits"
        ):
            return one
    raise LookupError(number)


def _data(draw: outsider.Draw) -> str:
    return draw.one("digits", *OTHERS)


def _of_page(draw: outsider.Draw, number: int) -> dict[str, Any]:
    """A scenario with a few of the controls moved."""
    return _moved(draw, [name for name in presets.names() if not presets.get(name).draft.base.system])


def _of_system(draw: outsider.Draw, number: int) -> dict[str, Any]:
    """One of a published system."""
    return _moved(draw, [name for name in presets.names() if presets.get(name).draft.base.system])


def _moved(draw: outsider.Draw, names: Sequence[str]) -> dict[str, Any]:
    base, one = draw.one(*presets.get(draw.one(*names)).draft.experiments()), draw.one
    moves: dict[str, Any] = {
        "clients.epsilon": one(0.1, 0.5, 1, 2, 4, 8, 20, 100, 400),
        "clients.range": one(0.05, 0.1, 0.2, 0.5, 1, 2),
        "mechanism.name": one(
            "duchi", "piecewise", "hybrid", "laplace", "pdpm", "gaussian", "privunit", "none"
        ),
        "rounds": one(1, 5, 10, 15, 30, 60),
        "clients.count": one(2, 10, 20, 50, 100, 200),
        "model": one("logistic_regression", "mlp", "mlp2", "cnn"),
        "target": one("weights", "update"),
        "aggregator.name": one("mean", "inverse_std", "inverse_variance", "sign_majority"),
        "local.learning_rate": one(0.05, 0.2, 0.5, 1.0),
        "selection.kind": one("all", "fraction", "once"),
        "partition.kind": one("iid", "dirichlet"),
        "local.epochs": one(1, 2, 5),
    }
    chosen = [path for path in moves if draw.chance(0.25)]
    return changed(base, {"dataset": _data(draw)} | {path: moves[path] for path in chosen}).as_json()


def _wild(draw: outsider.Draw, number: int) -> dict[str, Any]:
    return outsider.experiment(number, SPACE) | {"dataset": _data(draw)}


def _trusted(draw: outsider.Draw, number: int) -> dict[str, Any]:
    one, between, target = draw.one, draw.between, draw.one("weights", "update")
    half = between(0.1, 2) if target == "weights" else between(0.005, 0.5)
    return {
        "dataset": _data(draw),
        "trust": {"kind": one("shuffled", "secure_sum", "central")},
        "clients": {
            "count": draw.whole(5, 200),
            "epsilon": between(0.3, 60),
            "epsilon_scope": one("mechanism", "upload", "run", "run"),
            "range": round(half, 4),
        },
        "mechanism": one("duchi", "piecewise", "laplace", "hybrid", "privunit", "gaussian"),
        "target": target,
        "selection": one({"kind": "all"}, {"kind": "once"}, {"kind": "fraction", "fraction": 0.5}),
        "model": one("logistic_regression", "logistic_regression", "mlp"),
        "rounds": one(2, 5, 10, 15, 30),
        "local": {"learning_rate": round(between(0.1, 1), 3), "epochs": draw.whole(1, 3)},
        "partition": one({"kind": "iid"}, {"kind": "iid"}, {"kind": "dirichlet", "alpha": 0.5}),
    }


KINDS: tuple[Drawing, ...] = (_of_page, _wild, _trusted)


def trained(one: Experiment, data: Data) -> tuple[float, float]:
    """Final accuracy of a real run, and its processor seconds."""
    began = time.process_time()
    with one_thread():
        end = [event.as_json() for event in simulate(one, data)][-1]
    return float(end["accuracy"]), time.process_time() - began


@cache
def warm(dataset: str, model: Any) -> None:
    """Load the data and compile the model before anything is timed."""
    first = parse({"dataset": dataset, "model": json.loads(model), "rounds": 1, "attack": None})
    trained(first, load(dataset))


def tried(one: Experiment) -> dict[str, Any]:
    """A setting's verdict, its truth, and what both cost."""
    warm(one.dataset, json.dumps(one.as_json()["model"]))
    data = load(one.dataset)
    assemble(plan(one).resolved, data, choose_device())  # with its features
    began = time.process_time()
    view: Outlook = pilot(one, data)
    cost = time.process_time() - began
    accuracy, whole = trained(one, data)
    guess = float(np.bincount(data.test_y).max() / len(data.test_y))
    within = view.low is not None and view.high is not None and view.low <= accuracy <= view.high
    return {
        "word": view.word, "words": view.words, "truth": word_of(accuracy, guess),
        "accuracy": accuracy, "low": view.low, "high": view.high, "probability": view.probability,
        "within": within, "cost": cost, "run": whole, "why": view.why, "dataset": one.dataset,
        "mechanism": one.mechanism.name, "trust": one.trust.name, "target": one.target,
        "system": one.system.name if one.system else "",
    }  # fmt: skip


def main() -> None:
    first, last = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (0, 150)
    kinds = (_of_system,) if "systems" in sys.argv else KINDS
    groups = defaultdict[str, list[dict[str, Any]]](list)
    for number in range(first, last):
        one = tried(experiment(number, kinds))
        print(json.dumps({"number": number} | one), file=sys.stderr, flush=True)
        kind = kinds[number % len(kinds)].__name__.strip("_")
        for group in ("all", kind, "digits" if one["dataset"] == "digits" else "other data"):
            groups[group].append(one)
    for group, some in groups.items():
        answered = [one for one in some if one["word"] != "unknown"]
        said = [one for one in answered if one["words"] == one["word"]]
        right = [one for one in said if one["word"] == one["truth"]]
        inside = [one for one in answered if one["within"]]
        over = [one["cost"] / max(1.0, 0.1 * one["run"]) for one in some]
        print(
            f"{group}: answered {len(answered)} of {len(some)}, one word {len(said)}, right {len(right)}, "
            f"interval holds {len(inside)} of {len(answered)}; seconds over budget: most {max(over):.2f}, "
            f"beyond 1: {sum(one > 1 for one in over)}; median {np.median([one['cost'] for one in some]):.2f}"
        )


if __name__ == "__main__":
    main()
