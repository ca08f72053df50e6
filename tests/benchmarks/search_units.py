"""What a search's step and a trained sample take: `python -m tests.benchmarks.search_units`.

Microseconds of one core, the best of some turns: the ratios of `ldp_core/attacks/shared/beside.py` and
`ldp_core/cost/seconds.py` are rounded from them. On a busy machine all of them grow.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from ldp_core import models, optimizers
from ldp_core.attacks.shared.matching import Goal, Match
from ldp_core.attacks.shared.minimise import Curved, Signed
from ldp_core.engines import choice
from ldp_core.engines.base import Engine
from ldp_core.engines.plan import plan_batches
from ldp_core.engines.recipe import Recipe
from ldp_core.runs.lockstep import one_thread
from ldp_core.streams import stream
from tests.benchmarks.machine import described

SHAPES = {"lenet": ((8, 8), (28, 28), (3, 32, 32)), "cnn": ((28, 28), (3, 32, 32))}
ROWS = (1, 3, 9, 16)
BATCHES = (5, 10, 50)
TURNS, STEPS, TRAINED = 7, 20, 400


def searching(name: str, shape: tuple[int, ...], rows: int) -> Callable[[], float]:
    """Microseconds of a step of the search that suits a model."""
    model, classes = models.get(name), 10
    start = torch.from_numpy(model.initial(shape, classes, stream(0, "initial model")))
    weights = {part: view[0] for part, view in model.views(start.unsqueeze(0), shape, classes).items()}
    seen: Any = SimpleNamespace(shape=shape, classes=classes, model=model, parameters=lambda like: weights)
    draws = stream(0, "audit")
    goal = Goal(
        gradients=torch.from_numpy(draws.normal(size=(rows, len(start))).astype(np.float32)),
        known=None,
        targets=torch.eye(classes)[torch.arange(rows) % classes],
        edges=torch.full((rows,), 0.03),
    )
    begin = torch.from_numpy(draws.random((rows, int(np.prod(shape))), dtype=np.float32))
    match = Match(seen, "squared" if model.smooth else "cosine", goal, rows)

    def turn() -> float:
        descent = (Curved if model.smooth else Signed)(match, begin, STEPS)
        began = time.process_time()
        descent.advance(STEPS)
        return 1e6 * (time.process_time() - began) / STEPS

    return turn


def training(name: str, shape: tuple[int, ...], batch: int) -> Callable[[], float]:
    """Microseconds of a sample, forwards and backwards, as the engine that is chosen trains it."""
    model = models.get(name)
    recipe = Recipe(model, shape, 10, optimizers.get("sgd"), 0.01)
    unfit = choice.misfit(model, shape, 10, recipe.optimizer)
    engine = Engine("processes" if unfit else "fused", 1, "cpu")
    x = torch.from_numpy(stream(0, "audit").random((TRAINED, *shape), dtype=np.float32))
    samples = x, torch.arange(len(x)) % 10, x[:1]
    start = torch.from_numpy(model.initial(shape, 10, stream(0, "initial model")))
    plan = plan_batches(np.split(np.arange(TRAINED), 2), 1, batch, stream(0, "batches"))

    def turn() -> float:
        began = time.process_time()
        engine.train(recipe, start, samples, plan)
        return 1e6 * (time.process_time() - began) / TRAINED

    return turn


def main() -> None:
    one_thread()
    print(described())
    for name, shapes in SHAPES.items():
        for shape in shapes:
            turns = {f"step of {n}": searching(name, shape, n) for n in ROWS}
            turns |= {f"sample of {n}": training(name, shape, n) for n in BATCHES}
            best = dict.fromkeys(turns, float("inf"))
            for number in range(TURNS + 1):
                for what, turn in turns.items():
                    took = turn()
                    if number:  # the first pays for what is loaded
                        best[what] = min(best[what], took)
            found = ", ".join(f"{what} {took:.1f}" for what, took in best.items())
            print(f"{name} {shape}, {models.get(name).products(shape, 10):,} products: {found}", flush=True)


if __name__ == "__main__":
    main()
