"""Models: flat vectors with views, and three readings that agree with a plain torch module."""

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from ldp_core import models
from ldp_core.models._operators import Alone
from ldp_core.streams import stream
from tests.conftest import ROOT
from tests.models.modules import CASES, module, name_of
from tests.warm import Interpreter

CLASSES = 10
every_case = pytest.mark.parametrize(("model", "shape"), CASES, ids=name_of)


@every_case
def test_parameters_are_those_of_the_plain_module(model, shape):
    theirs = [tuple(p.shape) for p in module(model, shape).parameters()]
    assert [s.shape for s in model.slices(shape, CLASSES)] == theirs


@pytest.mark.parametrize(
    ("model", "shape", "size"),
    [
        (models.get("logistic_regression"), (28, 28), 7850),
        (models.get("mlp2", hidden=20, second=12), (3, 4), 12 * 20 + 20 + 20 * 12 + 12 + 12 * 10 + 10),
        (models.get("cnn"), (28, 28), 21_840),
        (models.get("cnn"), (3, 32, 32), 31_340),
        (models.get("lenet"), (3, 32, 32), 15_826),
        (models.get("resnet18"), (3, 32, 32), 11_173_962),
    ],
)
def test_sizes_are_the_published_ones(model: models.Model, shape: tuple[int, ...], size: int):
    assert model.dimension(shape, 10) == size
    assert model.fits((8, 8)) == (model.name != "cnn")


@pytest.mark.parametrize("name", models.names())
def test_first_slices_are_weight1_and_bias1(name: str):
    model = models.get(name)
    first = [one.name for one in model.slices((28, 28), 10)[:2]]
    assert (first == ["weight1", "bias1"]) == (model.batched and name != "own")


@pytest.mark.parametrize("shape", [(3, 1, 2, 2), (2, 10, 24, 24), (2, 20, 7, 9), (1, 3, 3, 2)])
def test_maxima_are_the_same_with_and_without_gradients(shape: tuple[int, ...]):
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(-3, 3, shape, generator=generator).float()  # with many ties
    x[0, 0, 0, 0] = torch.nan
    for layout in (torch.contiguous_format, torch.channels_last):
        held = x.contiguous(memory_format=layout)
        quick, whole = Alone({}).pool(held), Alone({}).pool(held.clone().requires_grad_())
        assert torch.equal(quick.nan_to_num(99), whole.detach().nan_to_num(99))


def test_wide_initial_weights_are_those_of_the_attack():
    wide = models.get("lenet", start="wide").initial((28, 28), 10, stream(0, "initial model"))
    assert 0.49 < np.abs(wide).max() <= 0.5
    assert abs(wide.std() - 1 / np.sqrt(12)) < 0.01
    usual = models.get("lenet").initial((28, 28), 10, stream(0, "initial model"))
    assert np.abs(usual).max() <= 0.2 + 1e-6


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
