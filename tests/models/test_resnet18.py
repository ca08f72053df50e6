"""ResNet-18 with group normalisation."""

import numpy as np

from ldp_core import models
from ldp_core.streams import stream


def test_sizes():
    assert models.get("resnet18").dimension((3, 32, 32), 10) == 11_173_962
    assert models.get("resnet18", width=16).dimension((3, 32, 32), 10) < 11_173_962 / 15


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
