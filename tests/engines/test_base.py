"""PyTorch's engine equals a plain loop over clients, whatever the number of threads."""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from ldp_core import models, partitions
from ldp_core.engines import base, batched
from ldp_core.engines.base import Engine, choose
from ldp_core.engines.batched import Samples, train
from ldp_core.engines.choice import choice_for
from ldp_core.engines.plan import Batches, Recipe, plan_batches, shuffled_within
from ldp_core.errors import InvalidInput
from ldp_core.experiment import parse, plan
from ldp_core.streams import stream
from tests.conftest import ROOT
from tests.data import digits
from tests.engines.cases import ALONE, SIZES, TOGETHER, TWO, exact, plan_of, recipe_of, samples_of, start_of
from tests.extent import in_gate
from tests.models.modules import module
from tests.warm import Interpreter

CPU = torch.device("cpu")
CONVOLUTIONS = [name for name in models.names() if not models.get(name).batched]


def plain_loop(recipe: Recipe, start: torch.Tensor, data: Samples, plan: Batches, row: int) -> torch.Tensor:
    """One client, the way a tutorial would write it."""
    net = module(recipe.model, recipe.shape).to(start.dtype)
    torch.nn.utils.vector_to_parameters(start.clone(), net.parameters())
    kinds: dict[str, Any] = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
    optimizer = kinds[recipe.optimizer.name](net.parameters(), lr=recipe.learning_rate)
    for step in range(len(plan.active)):
        batch = plan.samples[step, row][plan.weights[step, row] > 0]
        if len(batch) == 0:
            break
        optimizer.zero_grad()
        torch.autograd.backward(nn.functional.cross_entropy(net(data[0][batch]), data[1][batch]))
        optimizer.step()
    return torch.nn.utils.parameters_to_vector(net.parameters()).detach()


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        (name, shape)
        for name in CONVOLUTIONS
        # of many layers, of which the gate trains small images alone: else they take as long as all others
        for shape in in_gate({"resnet18": ((3, 16, 16),)}, {}).get(name, ((28, 28), (3, 32, 32)))
    ],
    ids=str,
)
def test_batched_and_single_clients_equal_a_plain_loop(name: str, shape: tuple[int, ...]):
    # eighteen layers of ReLU multiply the rounding of float32 a hundredfold: there, hold the mathematics
    deep = name == "resnet18"
    tolerance, kind = (1e-10, torch.float64) if deep else (1e-5, torch.float32)
    recipe, plan = recipe_of(name, shape), plan_of(SIZES, 20, 1 if deep else 2)
    start, data = start_of(recipe, kind), samples_of(recipe, sum(SIZES), kind)
    plan = exact(plan) if deep else plan
    together = TOGETHER.train(recipe, start, data, plan)
    alone = ALONE.train(recipe, start, data, plan)
    assert (alone - start).abs().max() > 1e-3, "nothing was trained"
    for row, client in enumerate(plan.rows):
        plain = plain_loop(recipe, start, data, plan, row)
        assert (together[client] - plain).abs().max() < tolerance
        assert (alone[client] - plain).abs().max() < tolerance


def test_adam_starts_anew_in_every_round_and_for_every_client():
    recipe, plan = recipe_of("cnn", (28, 28), rate=1e-3, by="adam"), plan_of(SIZES, 20)
    data = samples_of(recipe, sum(SIZES))
    start = start_of(recipe)
    for one in (TOGETHER, ALONE):
        trained = one.train(recipe, start, data, plan)
        assert torch.equal(trained, one.train(recipe, start, data, plan))
        for row, client in enumerate(plan.rows):
            plain = plain_loop(recipe, start, data, plan, row)
            # Adam divides by the size of the gradient, and rounding by a small one is much
            assert (trained[client] - plain).abs().max() < 1e-4


@pytest.mark.parametrize("name", ["cnn", "mlp"])
def test_the_number_of_threads_changes_no_bit(name: str):
    recipe, plan = recipe_of(name, (28, 28)), plan_of(SIZES, 20)
    data = samples_of(recipe, sum(SIZES))
    starts = torch.stack([start_of(recipe, seed=seed) for seed in range(len(SIZES))])
    for start in (starts[0], starts):
        shares: list[float] = []
        two = TWO.train(recipe, start, data, plan, shares.append)
        assert torch.equal(ALONE.train(recipe, start, data, plan), two)
        assert (TOGETHER.train(recipe, start, data, plan) - two).abs().max() < 1e-5
        assert shares == [0.2, 0.4, 0.6, 0.8, 1.0]
    scores = [one.scores(recipe, starts[0], data) for one in (TOGETHER, ALONE, TWO)]
    assert torch.equal(scores[1], scores[2])
    torch.testing.assert_close(scores[0], scores[1], rtol=1e-4, atol=1e-6)


def test_thread_count_follows_cores_or_settings(monkeypatch: pytest.MonkeyPatch):
    for name in ("EPSILON_ENGINE", "EPSILON_SLOT_CORES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(base, "cores", lambda: 8)
    assert choose(False, CPU) == Engine("batched", 8, "cpu", each=True)
    monkeypatch.setenv("EPSILON_SLOT_CORES", "1")
    assert choose(False, CPU).description == "one client at a time on one core, PyTorch"
    monkeypatch.setenv("EPSILON_SLOT_CORES", "5")
    assert choose(False, CPU).threads == 5 and choose(True, CPU).threads == 1
    for refused in ("gpu", "processes"):
        monkeypatch.setenv("EPSILON_ENGINE", refused)
        with pytest.raises(InvalidInput, match=f"must be auto or batched; got “{refused}”"):
            choice_for(plan(parse({})))


SHORT_OF_MEMORY = """
import resource, sys
sys.path.insert(0, sys.argv[1])
import torch
from ldp_core.engines.plan import plan_batches
from ldp_core.streams import stream
from tests.engines.cases import *
from ldp_core.engines import batched
torch.set_num_threads(1)
batched.CPU_BYTES = 2**40
recipe = recipe_of("cnn", (28, 28))
data = samples_of(recipe, 160)
start = start_of(recipe)
shards = [np.arange(k, k + 30) for k in range(100)]
plan = plan_batches(shards, 1, 30, stream(0, "batches"))
few = plan_batches(shards[:1], 1, 30, stream(0, "batches"))
TOGETHER.train(recipe, start, data, few)  # the libraries take what they need once
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 2 * 10**8, -1))
made = []
real = batched._steps
def watched(*given):
    made.append(given[6 - 1].stop - given[5].start)
    return real(*given)
batched._steps = watched
trained = TOGETHER.train(recipe, start, data, plan)
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
alone = ALONE.train(recipe, start, data, plan)
print(made[0], made[1], len(made) > 2, float((trained - alone).abs().max()) < 1e-5)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_where_memory_runs_out_half_as_many_clients_go_on(interpreter: Interpreter, tmp_path: Path):
    (tmp_path / "short.py").write_text(SHORT_OF_MEMORY, encoding="utf-8")
    output = interpreter.run(["short", str(ROOT)], tmp_path, os.environ, tmp_path)
    assert output.stdout.split() == ["100", "50", "True", "True"], output.stderr[-2000:]


@pytest.mark.parametrize(("engine", "step"), [(TOGETHER, "_steps"), (TWO, "train_alone")])
def test_one_client_beyond_memory_is_a_memory_error(
    engine: Engine, step: str, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: Any) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 byte")

    recipe = recipe_of("cnn", (28, 28))
    monkeypatch.setattr(batched, step, full)
    with pytest.raises(MemoryError, match="one client of cnn"):
        engine.train(recipe, start_of(recipe), samples_of(recipe, 160), plan_of(SIZES, 20))


def test_threads_short_of_memory_train_one_client_at_a_time(monkeypatch: pytest.MonkeyPatch):
    recipe, plan = recipe_of("cnn", (28, 28)), plan_of(SIZES, 20, 1)
    data, start = samples_of(recipe, sum(SIZES)), start_of(recipe)
    expected, real, asked = ALONE.train(recipe, start, data, plan), batched.in_threads, list[int]()

    def crowded(task: Any, count: int, threads: int, *more: Any) -> Any:
        asked.append(threads)
        if threads > 1:
            raise MemoryError
        assert sys.exc_info()[0] is None, "the error's frames hold the memory of those that it ended"
        return real(task, count, threads, *more)

    monkeypatch.setattr(batched, "in_threads", crowded)
    assert torch.equal(TWO.train(recipe, start, data, plan), expected)
    assert asked == [2, 1]


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


@pytest.mark.parametrize("sizes", [[5, 5, 5], [1, 7, 6, 4], [40, 1, 1, 1], [3]])
def test_each_shard_is_shuffled_by_its_own_keys(sizes: list[int]):
    """Side by side or all in one: the same order, ties included, for shards of one size and of many."""
    counts, total = np.array(sizes), sum(sizes)
    keys = np.random.default_rng(0).integers(0, 4, total) / 4
    expected = np.lexsort((keys, np.repeat(np.arange(len(sizes)), counts)))
    assert np.array_equal(shuffled_within(counts, keys), expected)
