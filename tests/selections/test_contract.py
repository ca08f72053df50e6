"""What every selection promises."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_core import accounting, selections
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse

ALL = [selections.get(name) for name in selections.names()]


@pytest.mark.parametrize("selection", ALL, ids=lambda s: s.name)
@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_participants_are_clients_once_each(selection, count: int):
    rounds = 1 if selection.problem(count, 19) else 19
    for round in range(1, rounds + 1):
        chosen = selection.choose(count, 0, round, rounds)
        assert len(chosen) <= count
        assert len(chosen) or selection.size(count) is None, (
            "only where each draws for itself may nobody come"
        )
        assert (np.diff(chosen) > 0).all()
        assert ((chosen >= 0) & (chosen < count)).all()


@pytest.mark.parametrize("selection", ALL, ids=lambda s: s.name)
def test_uploads_are_counted_truly(selection):
    count = 10
    rounds = 10 if selection.problem(count, 4000) else 4000
    uploads = np.zeros(count)
    for round in range(1, rounds + 1):
        uploads[selection.choose(count, 3, round, rounds)] += 1
    expected = selection.expected_uploads(count, rounds)
    # a binomial count of 4000 draws lies within 5.5 standard deviations with probability > 1 - 1e-6
    assert np.abs(uploads - expected).max() <= 5.5 * np.sqrt(rounds) / 2
    assert uploads.max() <= selection.most_uploads(count, rounds)


def test_a_share_of_the_clients():
    seven = selections.get("fraction", fraction=0.7)
    assert len(seven.choose(100, 0, 1, 50)) == 70
    assert seven.expected_uploads(100, 50) == pytest.approx(35)
    assert len(selections.get("fraction", fraction=0.001).choose(5, 0, 1, 50)) == 1


@pytest.mark.parametrize("selection", ALL, ids=lambda s: s.name)
def test_a_share_of_the_clients_stays_within_so_many_uploads(selection):
    """Simulated: the quantile holds for its share of clients, and one upload fewer does not."""
    count, rounds, runs = 20, 15, 400
    uploads = np.zeros((runs, count))
    for run in range(runs):
        for round in range(1, rounds + 1):
            uploads[run, selection.choose(count, run, round, rounds)] += 1
    for share in (0.5, 0.95):
        most = selection.uploads_quantile(count, rounds, share)
        assert 0 <= most <= selection.most_uploads(count, rounds)
        # 8 000 counts, those of one round a little opposed: within 0.02 with probability > 1 - 1e-6
        assert (uploads <= most).mean() >= share - 0.02
        assert (uploads < most).mean() <= share + 0.02
    assert selection.uploads_quantile(count, rounds, 1.0) == selection.most_uploads(count, rounds)


def test_the_uploads_of_a_random_share_are_binomial():
    """By hand: two of four clients in each of two rounds; 0, 1 or 2 uploads in 1, 2, 1 of four ways."""
    half = selections.get("fraction", fraction=0.5)
    assert [half.uploads_quantile(4, 2, share) for share in (0.2, 0.25, 0.26, 0.75, 0.76, 1)] == [
        0,
        0,
        1,
        1,
        2,
        2,
    ]
    assert selections.get("fraction", fraction=1.0).uploads_quantile(20, 15, 0.95) == 15
    assert selections.get("all").uploads_quantile(20, 15, 0.95) == 15


@pytest.mark.parametrize(("count", "rounds"), [(1, 1), (20, 15), (20, 20), (7, 3), (1000, 15)])
def test_once_chooses_everybody_and_nobody_twice(count: int, rounds: int):
    once = selections.get("once")
    runs = [[once.choose(count, seed, t, rounds) for t in range(1, rounds + 1)] for seed in (0, 1)]
    for run in runs:
        assert sorted(np.concatenate(run).tolist()) == list(range(count))
        told = [size for a, b, size in once.stretches(count, rounds) or [] for _ in range(a, b + 1)]
        assert [len(chosen) for chosen in run] == told
    assert count == 1 or any(list(a) != list(b) for a, b in zip(*runs, strict=True)), "the seed decides"
    assert len(once.choose(count, 0, rounds + 1, rounds)) == 0


def test_once_costs_a_client_one_upload_whatever_the_rounds():
    lines = accounting.ledger({"selection": "once", "rounds": 15})
    assert all(line["run_worst"] == line["upload"] == line["run_expected"] for line in lines)
    everybody = accounting.ledger({"rounds": 15})
    assert everybody[0]["run_worst"]["epsilon"] > lines[0]["run_worst"]["epsilon"]


def test_more_rounds_than_clients_cannot_all_have_somebody():
    with pytest.raises(InvalidExperiment) as caught:
        parse({"selection": "once", "rounds": 30, "clients": {"count": 20, "epsilon": 1}})
    (problem,) = caught.value.problems
    assert (problem.path, problem.message[:18]) == ("rounds", "must be at most 20")
