"""Streams: one for each (seed, purpose, round), none the same, none global."""

from itertools import product
from typing import get_args

import numpy as np
import pytest
import torch

from ldp_core.streams import Key, Purpose, key, stream
from tests.data import events

PURPOSES = get_args(Purpose)


def test_a_hundred_thousand_streams_are_all_different():
    keys = {key(seed, purpose, round) for seed, purpose, round in product(range(100), PURPOSES, range(120))}
    assert len(keys) == 100 * len(PURPOSES) * 120 > 1e5
    assert all(k < 2**128 for k in list(keys)[:100])


def test_streams_differ_where_32_bits_would_collide():
    a, b = stream(5, "noise"), stream(5 + 2**32, "noise")
    assert not np.array_equal(a.random(8), b.random(8))


def test_equal_keys_give_equal_streams():
    first, again, other = stream(1, "noise", 3), stream(1, "noise", 3), stream(1, "noise", 4)
    draws = first.random(16)
    np.testing.assert_array_equal(draws, again.random(16))
    assert not np.array_equal(draws, other.random(16))


def test_a_stream_is_that_of_its_key():
    for seed, purpose, round in product((0, 2**53 - 1), PURPOSES, (0, 9999)):
        whole = key(seed, purpose, round)
        theirs = np.random.Generator(np.random.Philox(key=whole))
        np.testing.assert_array_equal(stream(seed, purpose, round).random(4), theirs.random(4))
    with pytest.raises(ValueError, match="a key is for"):
        np.random.PCG64(Key(whole))  # type: ignore[arg-type]


def test_changing_the_seed_changes_every_purpose():
    for purpose in PURPOSES:
        assert not np.array_equal(stream(0, purpose).random(4), stream(1, purpose).random(4))


def test_a_run_leaves_the_global_generators_alone():
    before = np.random.get_state()[1].copy(), torch.get_rng_state()  # type: ignore[index] # noqa: NPY002
    events({"rounds": 2})
    after = np.random.get_state()[1], torch.get_rng_state()  # type: ignore[index] # noqa: NPY002
    np.testing.assert_array_equal(before[0], after[0])
    assert torch.equal(before[1], after[1])
