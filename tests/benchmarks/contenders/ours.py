"""Our engines, as a round of a run uses them: how many processes or threads, and which engine (fused)."""

from __future__ import annotations

import sys

import numpy as np
import torch

from ldp_core import models, optimizers
from ldp_core.engines.base import Engine
from ldp_core.engines.plan import Plan
from ldp_core.engines.recipe import Recipe
from tests.benchmarks.contenders.work import BATCH, CLIENTS, EACH, EPOCHS, RATE, net, samples, serve, vector

torch.set_num_threads(1)
x, y = samples(standard=False)
DATA = x.flatten(0, 1), y.flatten(), x[0, :1]
START = vector(net())
RECIPE = Recipe(models.get("cnn"), (28, 28), 10, optimizers.get("sgd"), RATE)
STEPS = EACH // BATCH
# the same order in every epoch, as the others read it
ORDER = np.arange(CLIENTS * EACH).reshape(CLIENTS, STEPS, BATCH).transpose(1, 0, 2)
PLAN = Plan(
    rows=np.arange(CLIENTS),
    samples=np.concatenate([ORDER] * EPOCHS),
    weights=np.full((EPOCHS * STEPS, CLIENTS, BATCH), 1 / BATCH, dtype=np.float32),
    active=[CLIENTS] * (EPOCHS * STEPS),
)
ENGINE = Engine("processes" if "processes" in sys.argv else "fused", int(sys.argv[1]), "cpu")

serve(lambda: ENGINE.train(RECIPE, START, DATA, PLAN).mean(0))
