"""Steps that are recorded and replayed: the same weights, and few recordings; on a GPU where there is one."""

import numpy as np
import pytest
import torch

from ldp_core import partitions
from ldp_core.engines import batched
from ldp_core.engines.batched import Replays, Step, train
from ldp_core.engines.plan import plan_batches
from ldp_core.streams import stream
from tests.data import digits
from tests.engines.cases import recipe_of, start_of


def kept(step: Step, samples: torch.Tensor, shares: torch.Tensor) -> Step:
    """In place of a recording, where there is no GPU: the step itself, of as many rows."""
    rows = len(samples)

    def again(others: torch.Tensor, theirs: torch.Tensor) -> None:
        assert len(others) == len(theirs) == rows
        step(others, theirs)

    return again


@pytest.mark.parametrize(("kind", "most"), [("iid", 1), ("dirichlet", 5)])
def test_replayed_steps_are_the_same_steps(monkeypatch: pytest.MonkeyPatch, kind: str, most: int):
    """Rows of clients that have ended go on with samples of weight 0, and do not move."""
    recorded = list[int]()

    def noted(step: Step, samples: torch.Tensor, shares: torch.Tensor) -> Step:
        recorded.append(len(samples))
        return kept(step, samples, shares)

    data = digits()
    recipe = recipe_of("mlp", data.shape, rate=0.1)
    shards = partitions.get(kind).split(data.train_y, 20, stream(1, "partition"))
    plan = plan_batches(shards, 3, 5, stream(1, "batches", 1))
    start = start_of(recipe)
    x, y = torch.from_numpy(data.train_x), torch.from_numpy(data.train_y)
    by_themselves = train(recipe, start, x, y, plan)
    monkeypatch.setattr(batched, "recorded", noted)
    monkeypatch.setattr(batched, "replayed", lambda *_: True)
    replayed = train(recipe, start, x, y, plan)
    assert (replayed - by_themselves).abs().max() < 1e-6
    assert not torch.equal(replayed, start.expand_as(replayed))
    assert 1 <= len(recorded) <= most, "one for each halving of those who train"
    assert recorded == sorted(set(recorded), reverse=True)


@pytest.mark.parametrize(("times", "tries"), [(1, 0), (2, 1)])
def test_few_steps_or_short_memory_are_not_captured(times: int, tries: int, monkeypatch: pytest.MonkeyPatch):
    asked, taken, count = list[int](), list[int](), times * batched.LEAST

    def short(step: Step, samples: torch.Tensor, shares: torch.Tensor) -> Step:
        asked.append(len(samples))
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(batched, "recorded", short)
    samples, shares = torch.zeros(count, 4, 2), torch.zeros(count, 4, 2)
    replays = Replays(lambda batch, share: taken.append(len(batch)), samples, shares, [4] * count)
    for t in range(count):
        replays.take(t)
    assert taken == [4] * count
    assert asked == [4] * tries, "not after the first step if too few are left, and once is enough"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
@pytest.mark.parametrize("name", ["logistic_regression", "mlp2"])
def test_a_gpu_takes_the_steps_of_the_processor(name: str):
    data = digits()
    recipe = recipe_of(name, data.shape, rate=0.1)
    shards = partitions.get("dirichlet").split(data.train_y, 20, stream(1, "partition"))
    plan = plan_batches(shards, 3, 5, stream(1, "batches", 1))
    start = start_of(recipe)
    found = []
    for device in ("cpu", "cuda"):
        x, y = torch.from_numpy(data.train_x).to(device), torch.from_numpy(data.train_y).to(device)
        found.append(train(recipe, start.to(device), x, y, plan).cpu().numpy())
    np.testing.assert_allclose(found[1], found[0], atol=1e-5)
