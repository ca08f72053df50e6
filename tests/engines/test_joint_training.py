"""Works that are trained as one give each federation what it would have got alone."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from ldp_core import models, optimizers, partitions
from ldp_core.engines.base import Engine
from ldp_core.engines.joint_training import Work, train_works
from ldp_core.engines.plan import Recipe, plan_batches
from ldp_core.streams import stream
from tests.data import digits

TOGETHER = Engine("batched", 1, "cpu")
X, Y = torch.from_numpy(digits().train_x), torch.from_numpy(digits().train_y)
SAMPLES = X, Y, torch.from_numpy(digits().test_x)


def one(
    seed: int,
    model: str = "logistic_regression",
    rate: float = 0.5,
    optimizer: str = "sgd",
    batch: int = 10,
    epochs: int = 1,
    clients: int = 7,
    **changes: Any,
) -> Work:
    """One round of a federation of its own: uneven shards, its own start."""
    shape, architecture = digits().shape, models.get(model)
    shards = partitions.get("dirichlet", alpha=0.3).split(
        digits().train_y, clients, stream(seed, "partition")
    )
    start = torch.from_numpy(architecture.initial(shape, 10, stream(seed, "initial model")))
    recipe = Recipe(architecture, shape, 10, optimizers.get(optimizer), rate)
    plan = plan_batches(shards, epochs, batch, stream(seed, "batches", 1))
    return replace(Work(TOGETHER, recipe, start, SAMPLES, plan), **changes)


@pytest.mark.parametrize("model", ["logistic_regression", "mlp"])
@pytest.mark.parametrize("optimizer", optimizers.names())
def test_joint_training_is_each_ones_own(model: str, optimizer: str):
    """Other seeds, numbers of clients, epochs and learning rates, in one matrix."""
    # Adam's first steps are the gradient's signs: at a large rate it magnifies the last bits
    rate = 0.001 if optimizer == "adam" else 0.1
    works = [
        one(0, model, optimizer=optimizer, rate=rate),
        one(1, model, optimizer=optimizer, rate=3 * rate, clients=3),
        one(2, model, optimizer=optimizer, rate=rate, epochs=2),
    ]
    assert len({work.shape for work in works}) == 1
    for work, trained in zip(works, train_works(works), strict=True):
        alone = work.alone()
        assert (trained - alone).abs().max() <= 2e-5 * alone.abs().max()
        assert (trained - work.start).abs().max() > 0.001, "nothing was trained"


def test_starts_of_their_own_stay_with_their_clients():
    work = one(3)
    starts = torch.stack([work.start + 0.01 * i for i in range(len(work.plan.rows))])
    works = [one(4), one(3, start=starts)]
    torch.testing.assert_close(train_works(works)[1], works[1].alone())


def test_only_one_shape_is_joined():
    """Other models, optimisers, batch sizes or data are other products, and single clients are not joined."""
    others = [
        one(0),
        one(0, model="mlp"),
        one(0, optimizer="adam", rate=0.01),
        one(0, batch=20),
        one(0, samples=(X.clone(), Y, SAMPLES[2])),
    ]
    assert len({work.shape for work in others}) == len(others)
    assert one(0, engine=Engine("batched", 2, "cpu", each=True)).shape is None
    both = train_works([*others, one(5)])
    torch.testing.assert_close(both[0], others[0].alone())
    torch.testing.assert_close(both[-1], one(5).alone())


def test_a_kernel_trains_runs_of_one_plan_as_each_alone():
    first = one(0, engine=Engine("fused", 2, "cpu"))
    faster = replace(first, recipe=replace(first.recipe, learning_rate=1))
    works = [first, replace(first, start=first.start / 2), faster]
    assert len({work.shape for work in works}) == 1
    assert first.shape != one(0, engine=first.engine).shape
    for work, trained in zip(works, train_works(works), strict=True):
        assert torch.equal(trained, work.alone())
