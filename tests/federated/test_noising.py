"""Uploads of several runs, perturbed as one matrix, are those of each run alone."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from ldp_core import mechanisms
from ldp_core.federated.noising import JointNoising, Noising
from ldp_core.federated.upload import Laws
from ldp_core.mechanisms.base import Mechanism, Use
from ldp_core.streams import stream
from ldp_core.systems import Encoded
from tests.federated.test_upload import EVERY, LAYERS, WIDTH, fitted
from tests.mechanisms.test_contract import named

CLIENTS = 7


def chunk(mechanism: Mechanism, seed: int, epsilon: float, layers: tuple[slice, ...]) -> Noising:
    values = stream(seed, "audit").normal(0, 0.7, (CLIENTS, WIDTH)).astype(np.float32)
    low, high = np.full((CLIENTS, 1), -0.5), np.full((CLIENTS, 1), 1.0)
    terms = np.linspace(epsilon, 2 * epsilon, CLIENTS)[:, None], low, high
    noise, known = partial(stream, seed, "noise", 1), np.zeros(1, np.float32)
    one = Noising(
        fitted(mechanism, layers), Encoded(values, low, high), terms, known, noise, None, 1, False, Laws()
    )
    return replace(one, stream=(seed, 1))


@pytest.mark.parametrize("layers", [(slice(0, WIDTH),), LAYERS], ids=["whole", "layers"])
@pytest.mark.parametrize("mechanism", EVERY, ids=named)
def test_runs_together_have_the_bits_of_each_alone(
    mechanism: Mechanism, layers: tuple[slice, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("ldp_core.mechanisms.shared.blocks.BLOCK", 3 * WIDTH)  # across runs, within rows
    monkeypatch.setattr("ldp_core.federated.noising.BLOCK", WIDTH)
    other = mechanisms.get("duchi").fitted(Use(WIDTH))
    seeds = ((0, 0.5), (1, 2.0), (0, 8.0), (2, 30.0))
    chunks = [chunk(mechanism, seed, epsilon, layers) for seed, epsilon in seeds]
    mixed = [*chunks, chunk(other, 0, 1.0, (slice(0, WIDTH),))]
    together = JointNoising()
    for _ in range(2):  # the second time with the laws of the first
        for one, (same, uploads) in zip(mixed, together.noised(mixed), strict=True):
            assert same is one
            alone = one.alone()[1]
            np.testing.assert_array_equal(uploads.values, alone.values)
            np.testing.assert_array_equal(uploads.exact, alone.exact)
    assert (chunks[0].shape is None) == (not mechanism.law.by_value)


def test_measured_or_begun_uploads_are_perturbed_alone():
    one = chunk(mechanisms.get("duchi"), 0, 1.0, (slice(0, WIDTH),))
    assert one.shape is not None
    assert replace(one, stream=None).shape is None
    assert replace(one, shares=np.full(CLIENTS, 1 / CLIENTS)).shape is None
    clear = replace(one.encoded, clear=np.zeros(one.encoded.values.shape, dtype=bool))
    assert replace(one, encoded=clear).shape is None
