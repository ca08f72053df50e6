"""What samplers are given in place of numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_core.mechanisms.shared.blocks import Selects

SHAPES = [((3, 50), (3, 50)), ((3, 1), (3, 1)), ((), (3, 50)), ((3, 50), ()), ((), ())]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32])
def test_selecting_by_bits_is_numpys_where(kind: Any, shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    draw = np.random.default_rng(0)
    condition = draw.random((3, 50)) < 0.5
    one, other = (draw.normal(0, 3, shape).astype(kind) for shape in shapes)
    if kind != np.int32:
        one, other = one * kind(1e30), other * kind(0.0)  # signed zeros among them
        one.flat[0] = np.nan
    for chosen, rest in ((one, other), (one, 0.5), (0.5, other), (2.0, -1.0)):
        for asked in (condition, condition[0, 0]):
            ours, theirs = Selects().where(asked, chosen, rest), np.where(asked, chosen, rest)
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            assert ours.tobytes() == theirs.tobytes()
    assert Selects().clip is np.clip
