"""Our engine, as a run chooses it; the argument is the number of cores."""

import sys
from dataclasses import replace

import numpy as np
import torch

from ldp_core import limits, optimizers
from ldp_core.engines.base import choose
from ldp_core.engines.plan import Batches, Recipe
from tests.benchmarks.contenders import work

torch.set_num_threads(1)
x, y = work.samples()
DATA = x.flatten(0, 1), y.flatten(), x[0, :1]
START = work.vector(work.net())
RECIPE = Recipe(work.model(), work.SHAPE, 10, optimizers.get("sgd"), work.RATE)
ENGINE = replace(choose(RECIPE.model.batched, START.device, RECIPE), threads=int(sys.argv[1]))
AT_ONCE = max(1, limits.CHUNK_BYTES // (4 * len(START)))


def plan(clients: range) -> Batches:
    """Samples in the order in which the others read them."""
    steps = -(-work.EACH // work.BATCH)
    places = np.minimum(np.arange(steps * work.BATCH), work.EACH - 1).reshape(steps, 1, work.BATCH)
    lengths = np.minimum(work.BATCH, work.EACH - work.BATCH * np.arange(steps))[:, None, None]
    weights = np.where(np.arange(work.BATCH) < lengths, 1 / lengths, 0).astype(np.float32)
    return Batches(
        rows=np.arange(len(clients)),
        samples=places + work.EACH * np.array(clients)[None, :, None],
        weights=np.repeat(weights, len(clients), axis=1),
        active=[len(clients)] * steps,
    )


PLANS = [plan(range(first, min(work.CLIENTS, first + AT_ONCE))) for first in range(0, work.CLIENTS, AT_ONCE)]
work.serve(lambda: sum(ENGINE.train(RECIPE, START, DATA, one).sum(0) for one in PLANS) / work.CLIENTS)
