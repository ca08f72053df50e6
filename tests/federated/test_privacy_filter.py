"""A client's own limit: it sends as long as it can afford to, and not once more."""

from typing import Any

import numpy as np
import pytest

from ldp_core.accounting import Spending, everyone
from ldp_core.experiment import parse, plan
from ldp_core.federated.federation import PrivacyFilter
from tests.data import events


def limited(**changes: Any) -> dict[str, Any]:
    return {"clients": {"epsilon": 0.5, **changes}, "rounds": 6, "attack": None}


def test_client_stops_at_the_last_affordable_upload():
    experiment = parse(limited(run_limit=500))
    spending, client = Spending(plan(experiment).releases), everyone(plan(experiment))[0]
    most = spending.affordable(client, 500)
    assert 0 < most < 6
    assert spending.uploads(client, most).bound <= 500 < spending.uploads(client, most + 1).bound
    purse, sent = PrivacyFilter(plan(experiment)), np.full(20, most)
    assert purse.can_afford(sent - 1).all()
    assert not purse.can_afford(sent).any()
    assert (purse.stopped(sent - 1), purse.stopped(sent)) == (0, 20)
    line = purse.spent(sent, np.arange(1))["0"]
    assert line["uploads"] == most
    assert line["left"] == pytest.approx(500 - line["epsilon"])


def test_without_a_limit_none_stops():
    purse, sent = PrivacyFilter(plan(parse(limited()))), np.ones(20, dtype=np.int64)
    assert purse.stopped(sent) == 0
    assert purse.can_afford(sent).all()
    assert purse.spent(sent, np.arange(1))["0"]["left"] is None


def test_run_continues_without_spent_clients():
    budgets = [0.5] * 10 + [8.0] * 10
    log = events({"clients": {"epsilon": budgets, "run_limit": 10_000}, "rounds": 6, "attack": None})
    rounds = [event for event in log if event["event"] == "round"]
    assert [event["participants"] for event in rounds] == [20, 10, 10, 10, 10, 10]
    assert [event["stopped"] for event in rounds] == [10] * 6
    for event in rounds:
        assert all(line["epsilon"] <= 10_000 for line in event["spent"].values())
    entry = log[-1]["ledger"][-1]
    assert entry["run_worst"]["epsilon"] == rounds[-1]["spent"]["19"]["epsilon"]


def test_model_is_unchanged_when_all_clients_stopped():
    log = events(limited(run_limit=1) | {"rounds": 3, "attack": "auto"})
    rounds = [event for event in log if event["event"] == "round"]
    assert [event["participants"] for event in rounds] == [0, 0, 0]
    assert {event["accuracy"] for event in rounds} == {log[0]["accuracy"]}
    assert {event["noise_variance"] for event in rounds} == {0.0}
    assert log[-1]["status"] == "completed"
    assert not [event for event in log if event["event"] == "attack"], (
        "and nothing is uploaded to be attacked"
    )


def test_gaussian_noise_is_counted_by_its_own_rule():
    own = {"mechanism": {"name": "gaussian", "per": "upload"}, "rounds": 20, "attack": None}
    experiment = parse(own | {"clients": {"epsilon": 1, "run_limit": 3}})
    most = Spending(plan(experiment).releases).affordable(everyone(plan(experiment))[0], 3)
    assert 3 < most < 20, "the root of the sum of squares allows more than adding up"
