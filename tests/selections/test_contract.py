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
