"""Local training of all clients at once equals a plain loop over clients."""

import numpy as np
import pytest
import torch

from ldp_core import partitions
from ldp_core.engines.batched import train
from ldp_core.engines.plan import plan_batches, shuffled_within
from ldp_core.streams import stream
from tests.data import digits
from tests.engines.cases import recipe_of, start_of
from tests.engines.test_base import plain_loop

CASES = {
    "even": ("iid", {}, 20),
    "ragged": ("dirichlet", {"alpha": 0.3}, 20),
    "tiny": ("dirichlet", {"alpha": 0.05}, 200),
}


@pytest.mark.parametrize("name", ["logistic_regression", "mlp"])
@pytest.mark.parametrize("case", CASES)
def test_equals_a_plain_loop(name: str, case: str):
    kind, parameters, clients = CASES[case]
    data = digits()
    shards = partitions.get(kind, **parameters).split(data.train_y, clients, stream(1, "partition"))
    plan = plan_batches(shards, epochs=2, batch_size=10, generator=stream(1, "batches", 1))
    recipe = recipe_of(name, data.shape, rate=0.5)
    start = start_of(recipe)
    x, y = torch.from_numpy(data.train_x), torch.from_numpy(data.train_y)
    together = train(recipe, start, x, y, plan)
    for client in range(0, clients, max(1, clients // 25)):
        row = int(np.flatnonzero(plan.rows == client)[0])
        alone = plain_loop(recipe, start, (x, y, x), plan, row)
        assert (together[client] - alone).abs().max() < 1e-5


@pytest.mark.parametrize(("sizes", "epochs", "batch"), [([7, 30, 1], 3, 10), ([5], 1, 100), ([10, 10], 2, 5)])
def test_every_sample_is_read_once_an_epoch(sizes: list[int], epochs: int, batch: int):
    shards = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    plan = plan_batches(shards, epochs, batch, stream(0, "batches"))
    for row, client in enumerate(plan.rows):
        steps = -(-sizes[client] // batch)
        real = plan.weights[:, row] > 0
        assert real.any(axis=1).sum() == epochs * steps
        for epoch in range(epochs):
            part = slice(epoch * steps, (epoch + 1) * steps)
            read = plan.samples[part, row][real[part]]
            assert sorted(read) == sorted(shards[client])
        np.testing.assert_allclose(plan.weights[:, row].sum(axis=1)[real.any(axis=1)], 1, rtol=1e-6)


def test_two_epochs_are_shuffled_differently_and_two_seeds_too():
    shards = [np.arange(40)]
    a = plan_batches(shards, 2, 40, stream(0, "batches"))
    b = plan_batches(shards, 2, 40, stream(1, "batches"))
    assert not np.array_equal(a.samples[0], a.samples[1])
    assert not np.array_equal(a.samples, b.samples)


@pytest.mark.parametrize("sizes", [[5, 5, 5], [1, 7, 6, 4], [40, 1, 1, 1], [3]])
def test_each_shard_is_shuffled_by_its_own_keys(sizes: list[int]):
    """Side by side or all in one: the same order, ties included, for shards of one size and of many."""
    counts, total = np.array(sizes), sum(sizes)
    keys = np.random.default_rng(0).integers(0, 4, total) / 4
    expected = np.lexsort((keys, np.repeat(np.arange(len(sizes)), counts)))
    assert np.array_equal(shuffled_within(counts, keys), expected)
