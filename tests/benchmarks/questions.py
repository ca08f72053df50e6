"""Whether answers of *Find the least ε* hold.

`python -m tests.benchmarks.questions [FIRST LAST]`: questions on digits by number, each with forty seeds that
its search has not seen: a line each, and how many runs reach what was asked for (some ten minutes for forty).
"""

import sys
import time
from typing import Any

import numpy as np

from ldp_core.datasets import quiet
from ldp_core.errors import StudioError
from ldp_core.experiment import changed
from ldp_core.runs import one_thread, search
from ldp_core.runs.train_all import train_all
from ldp_core.tuning import Question, parse_question
from ldp_core.tuning.designs import FIRST

SPACE, FRESH = 20261129, 40
MECHANISMS = ("laplace", "piecewise", "duchi", "hybrid", "gaussian", "privunit", "harmony")


def question(number: int) -> Question:
    """Question by number: the first that can be asked among those that its draws give."""
    for attempt in range(100):
        try:
            return parse_question(_drawn(np.random.default_rng([SPACE, number, attempt])))
        except StudioError:
            continue
    raise LookupError(number)


def _drawn(draw: np.random.Generator) -> dict[str, Any]:
    target, mechanism = str(draw.choice(["weights", "update"])), {"name": str(draw.choice(MECHANISMS))}
    base: dict[str, Any] = {
        "target": target,
        "clients": {"count": int(draw.choice([5, 10, 20, 50, 100]))},
        "rounds": int(draw.choice([3, 5, 10, 15, 20])),
        "mechanism": mechanism | ({"norm": 1.0} if mechanism["name"] == "privunit" else {}),
    }
    if draw.random() < 0.3:
        base["partition"] = {"name": "dirichlet", "alpha": float(draw.choice([0.3, 1.0]))}
    base["seed"] = int(draw.integers(0, 9999))
    if draw.random() < 0.3:
        base["clients"]["epsilon_scope"] = "upload"
    if draw.random() < 0.25:
        base["model"] = {"name": "mlp", "hidden": 16}
    if draw.random() < 0.2:
        base["trust"] = {"kind": str(draw.choice(["secure_sum", "central", "shuffled"]))}
    asked: dict[str, Any] = {"base": base, "accuracy": round(float(draw.uniform(0.4, 0.92)), 3)}
    if draw.random() < 0.2:
        asked["run_budget"] = float(draw.choice([50, 500, 5000]))
    return asked


def main(first: int, last: int) -> None:
    one_thread()
    reached, open_, below = list[float](), 0, list[float]()
    for number in range(first, last):
        asked, began = question(number), time.process_time()
        *events, answer = search(asked, [], quiet)
        took = time.process_time() - began
        runs = [one for one in events if one["event"] == "cell"]
        judged = next(one for one in reversed(runs) if one["seed"] >= FIRST)  # of a negative answer
        found = answer["epsilon"] is not None
        half, epsilon = (answer if found else judged)["half"], (answer if found else judged)["epsilon"]
        one = asked.experiment(half, epsilon)
        fresh = [changed(one, {"seed": one.seed + 1000 + seed}) for seed in range(FRESH)]
        ends = [figures.accuracy or 0.0 for _, figures in train_all(fresh)]
        met = float(np.mean(np.array(ends) >= asked.accuracy))
        word = f"ε {epsilon:g}" if found else "open" if "open whether" in answer["why"] else "none"
        setting = f"{one.mechanism.name} {one.target} {one.clients.count} {one.rounds} {one.trust.label}"
        print(
            f"{number} | {setting} | {asked.accuracy:.1%} | {word} | {met:.1%} | {len(runs)} | {took:.1f} s"
        )
        if found:
            reached.append(met)
            below.append(float(np.mean(np.array(ends) < answer["sure"])))
        open_ += word == "open"
    print(f"{len(reached)} positive, reached by {np.mean(reached):.2%} of runs, least {min(reached):.1%}")
    print(f"{np.mean(below):.2%} of runs below what is stated as sure; {open_} of {last - first} open")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3] or (0, 40)))
