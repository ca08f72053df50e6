"""Does a negative answer of Tune hold? `python -m tests.benchmarks.tune_negatives [FROM TO]`

Questions are drawn over mechanisms, targets, what ε covers, accuracies, run budgets and limits on what an
attacker picks, most of them hard. Where no setting is the answer, fresh runs are made at the largest ε that
was allowed, of each range: one of which 39 of 40 meet the target contradicts “is not reached surely”. Fresh
uploads are attacked at the largest ε that is said to leak no more than is allowed, and at the least that is
said to leak more. What is open is asked again, with the effort that may settle it.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np

from ldp_core.attacks.findings.metrics import wilson
from ldp_core.datasets import quiet
from ldp_core.errors import InvalidExperiment
from ldp_core.leakage.grid import identified
from ldp_core.runs.kinds.tune import search
from ldp_core.runs.lockstep import load, one_thread
from ldp_core.runs.train_all import train_all
from ldp_core.tuning import Question, parse_question
from ldp_core.tuning.leaks import bounded, leaks_of
from tests.benchmarks.machine import described

FRESH = range(100_000, 100_040)
BLOCKS = range(50_000, 50_014)
"""Some 1 000 uploads."""
MECHANISMS = ("duchi", "piecewise", "laplace", "gaussian", "hybrid", "privunit", "pdpm")


def drawn(number: int) -> dict[str, Any]:
    """A question, often one that has no answer."""
    generator = np.random.default_rng([35, number])
    target = str(generator.choice(["weights", "update"]))
    clients = {
        "count": int(generator.choice([10, 20, 50])),
        "epsilon_scope": str(generator.choice(["mechanism", "upload"])),
    }
    base = {
        "target": target,
        "mechanism": str(generator.choice(MECHANISMS)),
        "clients": clients,
        "rounds": int(generator.choice([5, 15])),
        "seed": 9000 + 40 * number,
    }
    asked: dict[str, Any] = {"base": base, "accuracy": round(float(generator.uniform(0.5, 0.95)), 3)}
    kind = generator.choice(["none", "budget", "leak"], p=[0.4, 0.3, 0.3])
    if kind == "budget":
        asked["run_budget"] = float(f"{10 ** generator.uniform(0.5, 4.5):.3g}")
    if kind == "leak":
        asked["identification"] = round(float(generator.uniform(0.15, 0.6)), 2)
    return asked


def check(asked: Question, events: list[dict[str, Any]]) -> list[str]:
    """What fresh runs and uploads contradict of an answer that names no setting."""
    surely, wrong = "is not reached surely" in events[-1]["why"], list[str]()
    leaks = leaks_of(events)
    within = bounded(asked, leaks)
    for half in within.ranges:
        most = within.most(half)
        runs = train_all([asked.experiment(half, most, seed) for seed in FRESH])
        met = sum((figures.accuracy or 0.0) >= asked.accuracy for _, figures in runs)
        print(f"    ±{half:g} at ε {most:g}: {met} of {len(FRESH)} fresh runs meet it", flush=True)
        if surely and met >= len(FRESH) - 1:
            wrong.append(f"±{half:g} at ε {most:g} meets it")
    for cap in within.caps:
        for epsilon, more in ((cap.most, False), (cap.beyond, True)):
            if epsilon is None:
                continue
            low, high = _picked(asked, cap.half, epsilon)
            limit = asked.identification or 1.0
            if high < limit if more else low > limit:
                wrong.append(f"±{cap.half:g} at ε {epsilon:g} picks {low:.3f} to {high:.3f}")
    return wrong


def _picked(asked: Question, half: float, epsilon: float) -> tuple[float, float]:
    """The 99.9 % interval of what is picked of fresh uploads."""
    data = load(asked.base.dataset)
    counts = [identified(asked.ladder(half, [epsilon], block), data)[0] for block in BLOCKS]
    hits, made = (sum(column) for column in zip(*counts, strict=True))
    return wilson(hits, int(made), 3.29)


def main() -> None:
    one_thread()
    print(described())
    first, last = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (0, 40)
    counts = dict.fromkeys(("answered", "refused", "negative", "open", "settled", "contradicted"), 0)
    for number in range(first, last):
        data, began = drawn(number), time.perf_counter()
        try:
            asked = parse_question(data)
        except InvalidExperiment as error:
            counts["refused"] += 1
            print(f"{number}: refused: {error}")
            continue
        events = list(search(asked, [], quiet))
        answer, took = events[-1], time.perf_counter() - began
        print(f"{number}: {data}\n    {answer['why']}; {took:.1f} s", flush=True)
        if answer["more"]:
            counts["open"] += 1
            again = list(search(replace(asked, effort=answer["more"]["effort"]), events[:-1], quiet))
            settled = again[-1]["epsilon"] is not None or "is not reached surely" in again[-1]["why"]
            counts["settled"] += settled
            print(f"    again with {answer['more']}: {again[-1]['why']}")
            events = [*events[:-1], *again]
        if events[-1]["epsilon"] is not None:
            counts["answered"] += 1
            continue
        counts["negative"] += 1
        if wrong := check(asked, events):
            counts["contradicted"] += 1
            print(f"    CONTRADICTED: {'; '.join(wrong)}", flush=True)
    print(counts)


if __name__ == "__main__":
    main()
