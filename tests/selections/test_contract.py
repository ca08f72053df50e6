"""What every selection promises."""

import numpy as np
import pytest

from ldp_core import accounting, selections
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse
from tests.data import rounds as rounds_of


def test_a_share_of_the_clients():
    seven = selections.get("fraction", fraction=0.7)
    assert len(seven.choose(100, 0, 1, 50)) == 70
    assert seven.expected_uploads(100, 50) == pytest.approx(35)
    assert len(selections.get("fraction", fraction=0.001).choose(5, 0, 1, 50)) == 1


@pytest.mark.parametrize(("count", "rounds"), [(1, 1), (20, 15), (20, 20), (7, 3), (1000, 15)])
def test_once_chooses_each_client_once(count: int, rounds: int):
    once = selections.get("once")
    runs = [[once.choose(count, seed, t, rounds) for t in range(1, rounds + 1)] for seed in (0, 1)]
    for run in runs:
        assert sorted(np.concatenate(run).tolist()) == list(range(count))
        result = [size for a, b, size in once.stretches(count, rounds) or [] for _ in range(a, b + 1)]
        assert [len(chosen) for chosen in run] == result
    assert count == 1 or any(list(a) != list(b) for a, b in zip(*runs, strict=True)), "the seed decides"
    assert len(once.choose(count, 0, rounds + 1, rounds)) == 0


def test_once_costs_one_upload_for_any_rounds():
    lines = accounting.ledger({"selection": "once", "rounds": 15})
    assert all(line["run_worst"] == line["upload"] == line["run_expected"] for line in lines)
    everybody = accounting.ledger({"rounds": 15})
    assert everybody[0]["run_worst"]["epsilon"] > lines[0]["run_worst"]["epsilon"]


def test_more_rounds_than_clients_cannot_all_have_a_client():
    with pytest.raises(InvalidExperiment) as caught:
        parse({"selection": "once", "rounds": 30, "clients": {"count": 20, "epsilon": 1}})
    (problem,) = caught.value.problems
    assert (problem.path, problem.message[:18]) == ("rounds", "must be at most 20")


def test_three_of_four_take_part_independently():
    """Of 200 clients 150 ± 6.1; over 2 000 rounds within 6 standard errors (false alarm < 1e-8)."""
    one = selections.get("self_sampling")
    counts = np.array([len(one.choose(200, 0, number, 2000)) for number in range(1, 2001)])
    assert abs(counts.mean() - 150) < 6 * 6.1237 / np.sqrt(2000)
    assert abs(counts.var() / 37.5 - 1) < 6 * np.sqrt(2 / 2000)


def test_with_few_clients_a_round_may_be_empty():
    one = selections.get("self_sampling")
    empty = np.mean([not len(one.choose(2, 0, number, 4000)) for number in range(1, 4001)])
    assert empty == pytest.approx(0.25**2, abs=6 * np.sqrt(0.0625 * 0.9375 / 4000))
    found = rounds_of({"clients": {"count": 1, "epsilon": 8}, "selection": "self_sampling", "rounds": 12})
    silent = [i for i, one in enumerate(found) if not one["participants"]]
    assert silent, "twelve rounds without one have a chance of 0.03, and these are always the same"
    for i in silent[1:]:
        assert found[i]["accuracy"] == found[i - 1]["accuracy"]
