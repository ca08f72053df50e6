"""The ledger: four numbers for every client, none of them alone."""

from __future__ import annotations

import json

import pytest

from ldp_core.accounting import DELTA, ledger
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse

SCOPES = ["coordinate", "upload", "run_expected", "run_worst"]
LINE = {"epsilon", "delta", "rule", "basic", "guarantee", "why"}


def test_every_client_has_four_numbers():
    entries = ledger({})
    assert len(entries) == 20
    for entry in entries:
        assert list(entry) == SCOPES
        assert all(set(line) == LINE for line in entry.values())
        assert all(line["guarantee"] and line["why"] for line in entry.values())
        sizes = [entry[scope]["epsilon"] for scope in SCOPES]
        assert sizes == sorted(sizes)
    assert json.loads(json.dumps(entries, allow_nan=False)) == entries


def test_the_sums_by_hand():
    cautious, generous = ledger({})[0], ledger({})[-1]
    assert [cautious[s]["basic"] for s in SCOPES] == [0.5, 325.0, 4875.0, 4875.0]
    assert [generous[s]["basic"] for s in SCOPES] == [8.0, 5200.0, 78000.0, 78000.0]
    assert cautious["coordinate"]["delta"] == 0
    assert cautious["upload"]["delta"] == DELTA
    assert cautious["upload"]["epsilon"] < 325
    assert cautious["upload"]["rule"] == "optimal"


def test_a_random_share_lowers_what_is_expected_and_not_the_worst_case():
    experiment = {"selection": {"kind": "fraction", "fraction": 0.5}, "rounds": 10, "clients": {"epsilon": 1}}
    entry = ledger(experiment)[0]
    assert entry["run_expected"]["basic"] == pytest.approx(5 * 650)
    assert entry["run_worst"]["basic"] == pytest.approx(10 * 650)


def test_a_budget_for_the_whole_upload_is_divided_over_its_weights():
    entry = ledger({"clients": {"epsilon": 8, "epsilon_scope": "upload"}, "rounds": 1})[0]
    assert entry["coordinate"]["basic"] == pytest.approx(8 / 650)
    assert entry["upload"]["basic"] == pytest.approx(8)


def test_without_noise_there_is_no_guarantee():
    for entry in ledger({"mechanism": "none"}):
        for line in entry.values():
            assert not line["guarantee"]
            assert line["epsilon"] is None
            assert "without noise" in line["why"]


def test_it_takes_an_experiment_or_its_json_and_refuses_what_cannot_run():
    assert ledger(parse({})) == ledger({})
    with pytest.raises(InvalidExperiment):
        ledger({"rounds": 0})
