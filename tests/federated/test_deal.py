"""Runs of one seed share their shards and their batches, and both are what they would be alone."""

import gc
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import torch

from ldp_core.engines.plan import Batches
from ldp_core.experiment import parse, plan
from ldp_core.federated import deal as module
from ldp_core.federated.deal import deal
from ldp_core.federated.federation import Federation, assemble, untrained
from ldp_core.federated.round import prepare
from tests.data import digits

LABELS = digits().train_y


def dealt(changes: dict[str, Any]) -> Federation:
    return assemble(plan(parse({"attack": None, **changes})), digits(), torch.device("cpu"))


def plan_of(one: Federation, number: int) -> Batches:
    return next(prepare(one, replace(untrained(one), round=number - 1)).works()).plan


def equal(one: Batches, other: Batches) -> bool:
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(Batches))


@pytest.mark.parametrize(
    "changes",
    [
        {"local": {"epochs": 3}},
        {"local": {"batch_size": 7}},
        {"selection": {"kind": "fraction", "fraction": 0.5}},
        {"partition": {"kind": "dirichlet", "alpha": 0.3}},
        {"clients": {"count": 19}},
        {"system": "personalized_ldp_fl"},  # which trains on a sample of its records
    ],
)
def test_other_batches_have_a_plan_of_their_own(changes: dict[str, Any]):
    usual = dealt({"seed": 5})
    before = plan_of(usual, 1)
    alone = plan_of(dealt({"seed": 5, "dataset": "digits", **changes}), 1)
    assert not equal(alone, before)
    del usual
    gc.collect()
    assert equal(plan_of(dealt({"seed": 5, "dataset": "digits", **changes}), 1), alone)


def test_deal_is_freed_with_its_last_holder():
    gc.collect()
    before = len(module._deals)
    held = deal(plan(parse({"seed": 77})), LABELS)
    assert len(module._deals) == before + 1
    del held
    gc.collect()
    assert len(module._deals) == before
