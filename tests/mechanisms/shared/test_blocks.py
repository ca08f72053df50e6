"""What samplers are given in place of numpy, and how matrices are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_core.contract.mechanism import kinds
from ldp_core.contract.stated import VECTOR
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.shared import blocks
from ldp_core.mechanisms.shared.blocks import Selects
from tests.mechanisms.test_contract import named

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


@pytest.mark.parametrize("mechanism", [kind() for kind in kinds()], ids=named)
@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_samplers_answer_bit_for_bit_as_with_numpy_itself(
    mechanism: Mechanism, number: Any, monkeypatch: pytest.MonkeyPatch
):
    values = np.random.default_rng(0).normal(0, 1, (40, VECTOR)).astype(number)
    epsilon = np.geomspace(0.01, 700, 40)[:, None]

    def answers() -> bytes:
        made = mechanism.fitted(Use(VECTOR))
        sent: Any = made.perturb(values, epsilon, -1.0, 0.5, np.random.Generator(np.random.Philox(key=1)))
        return bytes(sent.tobytes())

    ours = answers()
    monkeypatch.setattr(blocks, "SELECTS", np)
    assert ours == answers()
