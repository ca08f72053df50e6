"""ResNet-18 with group normalisation."""

import os
from pathlib import Path

import numpy as np

from ldp_core import models
from ldp_core.streams import stream
from tests.conftest import ROOT
from tests.warm import Interpreter

NARROW = """
import sys
sys.path.insert(0, sys.argv[1])
import torch
from ldp_core import models
from ldp_core.engines.batched import train_alone
from ldp_core.engines.plan import Recipe
from ldp_core.optimizers import get
from ldp_core.streams import stream

torch.set_num_threads(1)
shape, random = (3, 32, 32), stream(0, "initial model")
x = torch.from_numpy(random.random((8, *shape), dtype="float32"))
y = torch.from_numpy(random.integers(0, 10, 8))
for width in (4, 5, 6, 7):
    model = models.get("resnet18", width=width)
    recipe = Recipe(model, shape, 10, get("sgd"), 0.01)
    for _ in range(4):
        start = torch.from_numpy(model.initial(shape, 10, random))
        train_alone(recipe, start, x, y, random.permutation(8).reshape(2, 4))
print("alive")
"""


def test_normalisation_begins_as_none():
    model = models.get("resnet18", width=4)
    initial = model.initial((8, 8), 10, stream(0, "initial model"))
    for s in model.slices((8, 8), 10):
        if "norm" in s.name:
            assert np.array_equal(initial[s.start : s.stop], np.full(s.shape, s.name.endswith("weight")))


def test_kernels_begin_with_he_s_spread():
    model = models.get("resnet18", width=32)
    initial = model.initial((3, 32, 32), 10, stream(0, "initial model"))
    for s in model.slices((3, 32, 32), 10):
        if len(s.shape) == 4 and s.stop - s.start > 5000:
            spread = initial[s.start : s.stop].std()
            # relative standard error below 0.01: a false alarm would be five of them off
            assert abs(spread / np.sqrt(2 / (s.shape[0] * s.shape[2] ** 2)) - 1) < 0.05


def test_narrow_resnet_without_avx512_stays_in_memory(interpreter: Interpreter, tmp_path: Path):
    """There oneDNN wrote past it in a convolution of 1 × 1 and stride 2 from 4 to 7 channels."""
    (tmp_path / "narrow.py").write_text(NARROW, encoding="utf-8")
    environment = os.environ | {"ONEDNN_MAX_CPU_ISA": "AVX2"}
    output = interpreter.run(["narrow", str(ROOT)], tmp_path, environment, tmp_path)
    assert (output.returncode, output.stdout) == (0, "alive\n"), output.stderr
