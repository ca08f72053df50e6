"""What every selection promises."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_core import selections
from ldp_core.streams import stream

ALL = [selections.get(name) for name in selections.names()]


@pytest.mark.parametrize("selection", ALL, ids=lambda s: s.name)
@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_participants_are_clients_once_each(selection, count: int):
    for round in range(1, 20):
        chosen = selection.choose(count, stream(0, "selection", round))
        assert 1 <= len(chosen) <= count
        assert (np.diff(chosen) > 0).all()
        assert chosen.min() >= 0
        assert chosen.max() < count


@pytest.mark.parametrize("selection", ALL, ids=lambda s: s.name)
def test_uploads_are_counted_truly(selection):
    count, rounds = 10, 4000
    uploads = np.zeros(count)
    for round in range(rounds):
        uploads[selection.choose(count, stream(3, "selection", round))] += 1
    expected = selection.expected_uploads(count, rounds)
    # a binomial count of 4000 draws lies within 5.5 standard deviations with probability > 1 - 1e-6
    assert np.abs(uploads - expected).max() <= 5.5 * np.sqrt(rounds) / 2
    assert uploads.max() <= selection.most_uploads(count, rounds)


def test_a_share_of_the_clients():
    seven = selections.get("fraction", fraction=0.7)
    assert len(seven.choose(100, stream(0, "selection"))) == 70
    assert seven.expected_uploads(100, 50) == pytest.approx(35)
    assert len(selections.get("fraction", fraction=0.001).choose(5, stream(0, "selection"))) == 1


@pytest.mark.parametrize("selection", ALL, ids=lambda s: s.name)
def test_a_share_of_the_clients_stays_within_so_many_uploads(selection):
    """Simulated: the quantile holds for its share of clients, and one upload fewer does not."""
    count, rounds, runs = 20, 15, 400
    uploads = np.zeros((runs, count))
    for run in range(runs):
        for round in range(rounds):
            uploads[run, selection.choose(count, stream(run, "selection", round))] += 1
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
