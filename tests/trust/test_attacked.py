"""What each trust leaves to an attacker: nothing without a reason, and never more than is promised."""

from typing import Any

import numpy as np
import pytest

import ldp_core
from ldp_core.accounting import entries
from ldp_core.experiment import parse, plan
from ldp_core.mechanisms.shared.gaussian_privacy import mu_of

BASE = {"target": "update", "rounds": 3, "attack": {"clients": [1, 10, 20]}}


def events_of(epsilon: float, **own: Any) -> list[dict[str, Any]]:
    clients = {"epsilon": epsilon, "epsilon_scope": "run", "range": 0.1}
    return ldp_core.run({**BASE, "clients": clients, "trust": own}).events


@pytest.mark.parametrize("message", ["upload", "coordinate"])
def test_shuffled_messages_leak_within_the_bound(message: str):
    """Shares of 100 tries: one is 0.17 beyond chance or cap once in 10 000 runs of this test."""
    for scope, epsilon, more in (("upload", 4.0, False), ("mechanism", 8.0, True)):
        clients = {"epsilon": epsilon, "epsilon_scope": scope, "range": 0.1}
        asked = {**BASE, "clients": clients, "trust": {"kind": "shuffled", "message": message}}
        found = ldp_core.run(asked | {"rounds": 1, "attack": {"clients": [1, 20]}}).events
        assert "without names" in found[0]["attack_note"] == plan(parse(asked)).why_not
        assert not [one for one in found if one["event"] == "attack"] and "measured" not in found[-1]
        rows = found[-1]["from_heap"]
        assert {row["question"] for row in rows} == ({"what", "who"} if message == "upload" else {"what"})
        for row in rows:
            share, chance = row["right"] / row["tries"], 1 / row["candidates"]
            assert row["candidates"] == (20 if row["question"] == "who" else 10) and row["heap"] == 20
            if row["clean"]:
                assert share == 1 and row["cap"] is None
            else:
                assert share <= row["cap"] + 0.17 and (share > chance + 0.17) == more, row


def test_only_clients_of_equal_budgets_are_in_a_heap():
    clients = {"epsilon": [4.0] * 15 + [8.0] * 4 + [2.0], "epsilon_scope": "run", "range": 0.1}
    end = ldp_core.run({**BASE, "rounds": 1, "clients": clients, "trust": "shuffled"}).events[-1]
    assert {(row["client"], row["heap"]) for row in end["from_heap"]} == {(1, 15), (10, 15), (20, 1)}
    assert {row["question"] for row in end["from_heap"] if row["heap"] == 1} == {"what"}


def test_single_shuffled_message_of_a_cnn_is_read():
    asked = {"clients": {"count": 2, "epsilon": [1, 2]}, "model": "lenet", "trust": "shuffled", "rounds": 1}
    assert {row["heap"] for row in ldp_core.run(asked | {"target": "update"}).events[-1]["from_heap"]} == {1}


@pytest.mark.parametrize("own", [{"kind": "secure_sum"}, {"kind": "central", "norm": 1.0}])
def test_helped_attack_on_a_sum_stays_within_its_promise(own: dict[str, Any]):
    """Of nine identifications among ten, six or more are right by chance once in 4 000 runs."""
    share = {}
    for epsilon in (0.1, 600.0):
        found = events_of(epsilon, **own)
        tries = [one for one in found if one["event"] == "attack"]
        ranks = {c: [t["identification_rank"] for t in tries if t["control"] == c] for c in (None, "clean")}
        assert len(ranks[None]) == 9 and np.mean([rank == 1 for rank in ranks["clean"]]) > 0.7
        share[epsilon] = np.mean([rank == 1 for rank in ranks[None]])
        promise = found[-1]["ledger"][0]["run_worst"]
        lower = [one["epsilon_lower"] or 0.0 for one in found[-1]["measured"]]
        assert lower and max(lower) <= promise["epsilon"]
        caps = [one["cap"] for one in tries if one["control"] is None]
        assert (max(caps) < 0.2) == (epsilon < 1)
        picked = {
            one["helped"]: one["right"] / one["tries"] for one in found[-1]["from_sum"] if one["client"] == 20
        }
        # among ten; 200 tries by chance: within 0.02 and 0.21, but for once in a million runs
        assert picked[False] >= 0.02 and (picked[True] > 0.5) == (epsilon > 1)
        assert picked[True] > picked[False] if epsilon > 1 else picked[True] <= 0.21
        assert "values of all other clients" in " ".join(found[0]["spies"][0]["knows"])
        assert found[0]["spies"][0]["knows"][0].startswith("what the sum leaves of the upload")
    assert share[0.1] < 6 / 9 < share[600.0] + 0.35


@pytest.mark.parametrize("kind", ["secure_sum", "central"])
def test_attacked_sum_has_the_ledgers_noise(kind: str):
    """A client's own upload beside all others' known values: μ of one sum is that of the ledger's line."""
    clients = {"epsilon": [1.0] * 10 + [4.0] * 10, "epsilon_scope": "run", "range": 0.1}
    own = {"kind": kind, "norm": 1.0, **({"dropout": 0.3} if kind == "secure_sum" else {})}
    experiment = parse({**BASE, "clients": clients, "trust": own})
    seen, people = plan(experiment).attacked, plan(experiment).attacked.population
    mu = np.asarray(seen.randomiser.at(people.epsilon, people.low, people.high).mu)
    assert plan(experiment).spies and seen.attacked is seen
    for client in (0, 19):
        line = entries(plan(experiment), [client])[0].upload
        stated = float(mu_of(line.bound, line.delta))
        assert (
            stated * (0.85 if kind == "secure_sum" else 0.999) <= mu[client] <= stated * 1.001
            or line.rule == "sampled"
        )
    assert people.high.max() == pytest.approx(1.0)


def test_rarely_sampled_client_is_rarely_identified():
    """ε 0.3 beside ε 600 by sampling: help tells little of a client that is in few sums."""
    clients = {"epsilon": [0.3] * 10 + [600.0] * 10, "epsilon_scope": "run", "range": 0.1}
    trust = {"kind": "central", "rule": "sampling", "norm": 1.0}
    end = ldp_core.run({**BASE, "clients": clients, "trust": trust}).events[-1]
    right = {one["client"]: one["right"] / one["tries"] for one in end["from_sum"] if one["helped"]}
    # 1/10 by chance, at most 0.21 in 200 tries but for once in a million runs
    assert right[1] <= 0.21 and right[20] > 0.9
    assert "measured" not in end


def test_run_without_sums_has_no_sum_attack():
    assert "from_sum" not in ldp_core.run({**BASE, "rounds": 1}).events[-1]
