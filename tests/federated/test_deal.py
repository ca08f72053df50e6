"""Class means in one message: what is sent, what the server makes of it, what it costs a person."""

import gc
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import torch

from ldp_core import accounting
from ldp_core.engines.plan import Batches
from ldp_core.errors import InvalidExperiment
from ldp_core.events import Ended
from ldp_core.experiment import parse, plan
from ldp_core.federated import deal as module
from ldp_core.federated.class_means import messages_of
from ldp_core.federated.deal import deal
from ldp_core.federated.federation import Federation, assemble, untrained
from ldp_core.federated.round import prepare
from ldp_core.many import run_many
from tests.data import digits, events

ONE = {
    "features": {"name": "orientation", "directions": 30},
    "target": "class_means",
    "mechanism": "labelunit",
    "selection": "once",
    "rounds": 1,
    "clients": {"count": 1437, "epsilon": 8},
    "attack": None,
}


def asked(**more: Any) -> dict[str, Any]:
    return ONE | more


def test_message_is_the_mean_image_by_label():
    federation = assemble(
        plan(parse(asked(clients={"count": 400, "epsilon": 8}))), digits(), torch.device("cpu")
    )
    found = messages_of(federation, [federation.shards[i] for i in (3, 7)]).numpy()
    width = federation.train_x.shape[1]
    for row, client in zip(found, (3, 7), strict=True):
        wanted = np.zeros((10, width))
        for sample in federation.shards[client]:
            x = federation.train_x[sample].numpy().astype(np.float64)
            wanted[int(federation.train_y[sample])] += x / np.linalg.norm(x) / len(federation.shards[client])
        assert row[: 10 * width].reshape(10, width) == pytest.approx(wanted, abs=1e-5)
        assert not row[10 * width :].any()


@pytest.mark.parametrize("mechanism", ["none", "labelunit", "privunit", "gaussian", "piecewise"])
def test_server_decodes_class_means_of_any_mechanism(mechanism: str):
    generous = {"none": 1, "gaussian": 400, "piecewise": 10}.get(mechanism, 16)
    emitted = events(asked(mechanism=mechanism, clients={"count": 1437, "epsilon": float(generous)}))
    (round_,) = (one for one in emitted if one["event"] == "round")
    assert emitted[-1]["status"] == "completed"
    assert round_["accuracy"] > 0.8
    assert round_["clipped_fraction"] == 0
    if mechanism != "none":
        assert round_["noise_variance"] == pytest.approx(round_["noise_variance_theory"], rel=0.25)
        assert emitted[-1]["accuracy_unnoised"] > 0.88


def test_everything_that_a_person_ever_sends_costs_one_epsilon():
    entry = accounting.ledger(parse(asked()))[0]
    assert (
        entry["upload"]["epsilon"] == entry["run_worst"]["epsilon"] == entry["run_expected"]["epsilon"] == 8
    )
    assert entry["run_worst"]["guarantee"] and entry["run_worst"]["delta"] == 0


def test_labelunit_beats_privunit_and_folds_exactly():
    runs = [
        parse(asked(mechanism=name, seed=seed)) for seed in (0, 1, 2) for name in ("labelunit", "privunit")
    ]
    turns = run_many(enumerate(runs), {"digits": digits()})
    ended = {number: event.accuracy for number, event in turns if isinstance(event, Ended)}
    ours, theirs = (np.mean([ended[i] for i in range(first, 6, 2)]) for first in (0, 1))
    assert ours > theirs + 0.05
    assert events(asked())[-1]["accuracy"] == ended[0]


@pytest.mark.parametrize(
    ("more", "field", "says"),
    [
        ({"features": "none"}, "target", "choose the features"),
        ({"system": "pldp_fl"}, "target", "choose no system"),
        ({"model": "mlp"}, "model", "logistic_regression"),
        ({"rounds": 3}, "rounds", "one message"),
        ({"mechanism": "ldpsign"}, "mechanism", "labelunit"),
        ({"aggregator": "sign_majority"}, "aggregator", "choose mean"),
        ({"target": "update", "rounds": 5}, "mechanism", "choose privunit, or the target class_means"),
    ],
)
def test_incompatible_class_means_are_refused_at_the_field(more: dict[str, Any], field: str, says: str):
    with pytest.raises(InvalidExperiment) as error:
        parse(asked(**more))
    assert any(one.path == field and says in one.message for one in error.value.problems)


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
