"""The ledger: four numbers for every client, none of them alone; read backwards, the ε that costs so much."""

import json
import math
from dataclasses import asdict
from typing import Any

import pytest
from scipy.special import ndtr

from ldp_core.accounting import (
    DELTA,
    Entry,
    Promise,
    Spending,
    entries,
    entries_in,
    entry_of,
    epsilon_for,
    everyone,
    ledger,
    run_budget,
    to_json,
    worth,
)
from ldp_core.accounting.ledger_entry import EACH
from ldp_core.composition.backwards import TOLERANCE
from ldp_core.errors import InvalidInput
from ldp_core.experiment import changed, parse, plan
from ldp_core.mechanisms.shared.gaussian_privacy import epsilon_of, mu_of
from tests.pace import of_cpu

SCOPES = ["coordinate", "upload", "run_expected", "run_worst"]
LINE = {"epsilon", "delta", "rule", "basic", "generic", "guarantee", "why"}


def lines_of(experiment: dict[str, Any]) -> list[dict[str, Any]]:
    return [ledger(experiment)[0][scope] for scope in SCOPES]


def test_every_client_has_four_numbers():
    entries = ledger({})
    assert len(entries) == 20
    for entry in entries:
        assert list(entry) == [*SCOPES, "against", "unit", "worth"]
        assert (entry["against"], entry["worth"]) == ("server", "nothing")
        assert all(set(entry[s]) == LINE for s in SCOPES)
        assert all(entry[s]["guarantee"] and entry[s]["why"] for s in SCOPES)
        sizes = [entry[scope]["epsilon"] for scope in SCOPES]
        assert sizes == sorted(sizes)
    assert json.loads(json.dumps(entries, allow_nan=False)) == entries == ledger(parse({}))


def test_the_sums_by_hand():
    cautious, generous = ledger({})[0], ledger({})[-1]
    assert [cautious[s]["basic"] for s in SCOPES] == [0.5, 325.0, 4875.0, 4875.0]
    assert [generous[s]["basic"] for s in SCOPES] == [8.0, 5200.0, 78000.0, 78000.0]
    assert cautious["coordinate"]["delta"] == 0
    assert cautious["upload"]["delta"] == DELTA
    assert cautious["upload"]["epsilon"] < 325
    assert cautious["upload"]["rule"] == "own_law"
    assert cautious["upload"]["epsilon"] < cautious["upload"]["generic"] < 325


def test_basic_rule_without_delta_wins_ties():
    """Duchi at 8: the exact composition of 650 uses is 5 199.99998 at δ 1e-5, the sum 5 200 without a δ."""
    entry = ledger({"mechanism": "duchi", "clients": {"epsilon": 8}})[0]
    for scope in SCOPES:
        line = entry[scope]
        assert (line["delta"], line["rule"]) == (0.0, "basic")
        assert line["epsilon"] == line["generic"] == line["basic"]
    assert ledger({"mechanism": "duchi", "clients": {"epsilon": 0.5}})[0]["upload"]["delta"] == DELTA


@pytest.mark.parametrize("mechanism", ["duchi", "pdpm", "piecewise", "hybrid", "laplace", "harmony", "grr"])
@pytest.mark.parametrize("epsilon", [1e-6, 0.02, 0.5, 8, 700])
def test_the_smallest_comes_first(mechanism: str, epsilon: float):
    for line in lines_of({"mechanism": mechanism, "clients": {"epsilon": epsilon}}):
        assert line["epsilon"] <= line["generic"] <= line["basic"]


def test_the_price_of_an_average_client_is_no_guarantee():
    """A share of .3 in 15 rounds: 48.5 % of the clients upload more than 4.5 times."""
    experiment = parse(
        {"mechanism": "duchi", "clients": {"epsilon": 1}, "selection": {"kind": "fraction", "fraction": 0.3}}
    )
    entry = ledger(experiment)[0]
    assert not entry["run_expected"]["guarantee"]
    assert "no bound" in entry["run_expected"]["why"]
    assert "4.5 uploads" in entry["run_expected"]["why"]
    assert all(entry[scope]["guarantee"] for scope in SCOPES if scope != "run_expected")
    assert entry["run_expected"]["epsilon"] < entry["run_worst"]["epsilon"]
    assert ledger({})[0]["run_expected"]["guarantee"], "everybody uploads in every round: no average about it"


@pytest.mark.parametrize("mechanism", ["piecewise", "gaussian", "dynamic_gaussian", "none"])
def test_the_same_values_sent_often_cost_as_many_uploads(mechanism: str):
    experiment = parse({"mechanism": mechanism, "rounds": 3})
    spending, client = Spending(plan(experiment).releases), everyone(plan(experiment))[0]
    assert spending.again(client, 1) == spending.uploads(client, 1)
    if mechanism == "none":
        assert not spending.again(client, 100).guarantee
        return
    ten, hundred = (spending.again(client, times).bound for times in (10, 100))
    assert spending.uploads(client, 3).bound < ten < hundred
    if mechanism == "piecewise":
        assert ten == spending.uploads(client, 10).bound


def gaussian(**own: object) -> dict[str, object]:
    return {"mechanism": {"name": "gaussian", "delta": 1e-5, **own}, "clients": {"epsilon": 1}, "rounds": 4}


def test_gaussian_noise_adds_up_by_the_root_of_squares():
    entry = ledger(gaussian())[0]
    mu = float(mu_of(1.0, 1e-5))
    assert entry["coordinate"]["epsilon"] == pytest.approx(1.0, rel=1e-9)
    assert entry["upload"]["epsilon"] == pytest.approx(epsilon_of(1e-5, mu * math.sqrt(650)), rel=1e-9)
    assert entry["run_worst"]["epsilon"] == pytest.approx(epsilon_of(1e-5, mu * math.sqrt(2600)), rel=1e-9)
    for line in (entry[s] for s in SCOPES):
        assert line["rule"] == "gaussian"
        assert line["delta"] == DELTA
        assert line["epsilon"] <= line["basic"]


def test_a_gaussian_upload_costs_its_own_epsilon():
    entry = ledger(gaussian(per="upload"))[0]
    assert entry["upload"]["epsilon"] == pytest.approx(1.0, rel=1e-9)
    assert entry["coordinate"]["epsilon"] < 0.1
    assert entry["run_worst"]["epsilon"] == pytest.approx(epsilon_of(1e-5, 2 * mu_of(1.0, 1e-5)), rel=1e-9)


def test_noise_that_changes_is_counted_round_by_round():
    experiment = {"mechanism": "dynamic_gaussian", "clients": {"epsilon": 0.4}, "rounds": 10}
    entry = ledger(experiment)[0]
    mus = [0.4 / (1 + math.log(m) / 75) / math.sqrt(2 * math.log(1.25e5)) for m in range(1, 11)]
    total = math.sqrt(650 * sum(mu**2 for mu in mus))
    assert entry["run_worst"]["epsilon"] == pytest.approx(epsilon_of(1e-5, total), rel=1e-9)


def test_a_layer_costs_one_epsilon():
    entry = ledger({"mechanism": "harmony", "model": "mlp", "clients": {"epsilon": 2}, "rounds": 3})[0]
    assert [entry[s]["basic"] for s in SCOPES] == [2.0, 4.0, 12.0, 12.0]


def test_ldpsigns_bit_has_a_loss_of_its_own(oracles: dict[str, Any]):
    known = next(p for p in oracles["accounting"]["ldpsign_vector"] if p["d"] == 650)
    experiment = {
        "mechanism": {"name": "ldpsign", "delta": 1e-5},
        "clients": {"epsilon": known["claimed_epsilon"], "low": -4, "high": 4},
        "rounds": known["R"],
    }
    entry = ledger(experiment)[0]
    assert entry["coordinate"]["epsilon"] == pytest.approx(known["pure_epsilon_per_coordinate"], rel=1e-9)
    assert entry["upload"]["basic"] == pytest.approx(known["pure_epsilon_per_upload"], rel=1e-9)
    assert entry["upload"]["epsilon"] == pytest.approx(known["eps_at_1e-5_per_upload_exact"], rel=1e-9)
    assert entry["run_worst"]["epsilon"] == pytest.approx(known["eps_at_1e-5_run_exact"], rel=1e-9)
    printed = ledger(experiment | {"form": "as_printed"})[0]
    assert printed["coordinate"]["epsilon"] == known["claimed_epsilon"]
    assert printed["coordinate"]["rule"] == "nominal"


def test_a_clients_own_limit_caps_its_run():
    free = ledger({"clients": {"epsilon": 0.5}, "rounds": 15})[0]
    two = Spending(plan(parse({"clients": {"epsilon": 0.5}, "rounds": 15})).releases).uploads(
        (0.5, -1.0, 1.0), 2
    )
    capped = ledger({"clients": {"epsilon": 0.5, "run_limit": two.bound + 1}, "rounds": 15})[0]
    assert capped["run_worst"] == capped["run_expected"] == asdict(two)
    assert capped["run_worst"]["epsilon"] < free["run_worst"]["epsilon"]
    nothing = ledger({"clients": {"epsilon": 0.5, "run_limit": 1}, "rounds": 15})[0]
    assert nothing["run_worst"]["epsilon"] == 0


SMALL = {"attack": None, "rounds": 3, "clients": {"count": 4, "epsilon": 1.0}}


@pytest.mark.parametrize("mechanism", ["duchi", "laplace", "gaussian"])
@pytest.mark.parametrize("budget", [5.0, 500.0])
def test_the_epsilon_found_costs_the_budget(mechanism: str, budget: float):
    experiment = parse(SMALL | {"mechanism": mechanism})
    found = epsilon_for(experiment, budget)
    costs = run_budget(plan(changed(experiment, {"clients.epsilon": found})))
    assert budget * (1 - TOLERANCE) <= costs <= budget, "and never more"


def test_one_use_a_round_has_a_share_of_the_budget():
    experiment = parse({"system": "optimal_ldp_fl", "dataset": "digits", "attack": None, "rounds": 4})
    assert epsilon_for(experiment, 8.0) == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize(("mechanism", "budget"), [("duchi", 1e-9), ("duchi", 1e12), ("none", 10.0)])
def test_a_budget_that_no_epsilon_gives_is_refused(mechanism: str, budget: float):
    with pytest.raises(InvalidInput, match="the budget of the run must lie between"):
        epsilon_for(parse(SMALL | {"mechanism": mechanism}), budget)


def test_up_to_a_thousand_clients_each_has_an_entry():
    experiment = parse({"clients": {"count": EACH, "epsilon": 1}})
    stored = ledger(experiment)
    assert to_json(entries(plan(experiment))) == stored == json.loads(json.dumps(stored))
    assert entry_of(stored, 7) == entries(plan(experiment))[7]
    assert entries_in(stored) == entries(plan(experiment))


@pytest.mark.parametrize("epsilon", [2, "eps2", "two_volunteers"])
@pytest.mark.alone
def test_ledger_of_60000_clients_is_quick_and_small(epsilon: object):
    clients = {"count": 60_000, "epsilon": epsilon}
    experiment = parse({"dataset": "mnist", "clients": clients, "selection": "once", "attack": None})
    with of_cpu(1):
        promised = entries(plan(experiment))
        text = json.dumps(to_json(promised))
    assert len(text) <= 1_000_000
    read = json.loads(text)
    assert read["clients"] == 60_000
    for client in (0, 1, 29_999, 59_998, 59_999):
        assert entry_of(read, client) == promised[client]
    with pytest.raises(IndexError):
        entry_of(read, 60_000)


def test_more_promises_than_sixteen_bits_count():
    promised = [Entry(one, one, one, one) for one in map(Promise, map(float, range(70_000)))]
    assert entry_of(to_json(promised), 69_999) == promised[-1]


def test_ledger_rows_of_other_versions_are_read():
    line = {"epsilon": 2.0, "guarantee": True, "against": "nobody"}
    entry = Entry.of({"run_worst": line})
    assert entry.run_worst == Promise(2.0, guarantee=True)
    assert entry.upload.bound == entry.upload.sum == math.inf


def promise(epsilon: float, delta: float = 0.0, rule: str = "basic") -> Promise:
    return Promise(epsilon, delta, rule, epsilon, epsilon, True)


def test_missing_guarantee_is_worth_zero():
    found = worth(Promise(epsilon=2.0, why="an average"))
    assert (found.word, found.right, found.odds) == ("nothing", None, "at worst in every try")


@pytest.mark.parametrize(("epsilon", "right"), [(0.01, (51, 100)), (1, (74, 100)), (8, (9997, 10_000))])
def test_odds_are_rounded_up_but_never_to_all(epsilon, right):
    assert worth(promise(epsilon)).right == right


def test_gaussian_noise_is_described_by_its_whole_curve():
    mu = 1.3
    line = promise(float(epsilon_of(1e-5, mu)), 1e-5, "gaussian")
    assert math.exp(worth(line).wrong) == pytest.approx(ndtr(-mu / 2), rel=1e-6)
    assert worth(line).wrong > worth(promise(line.bound, 1e-5)).wrong


def test_delta_raises_the_attackers_odds():
    assert 1 - math.exp(worth(promise(1.0, 0.1)).wrong) == pytest.approx((math.e + 0.1) / (1 + math.e))
