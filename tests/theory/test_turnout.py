"""Who takes part: where each client decides by a draw of its own, every choice with its chance, or many."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_core import theory
from ldp_core.experiment import parse
from ldp_core.theory.turnout import turnouts


@pytest.mark.parametrize(("count", "drawn"), [(1, False), (6, False), (14, False), (15, True)])
def test_few_who_decide_by_themselves_are_gone_through_one_by_one(count: int, drawn: bool):
    """Of those drawn, 5 000, the mean is off by five standard errors once in a million."""
    one = parse({"clients": {"count": count}, "selection": {"kind": "self_sampling", "least": 0.3}})
    (found,) = turnouts(one, np.zeros(count, dtype=np.int64))
    assert found.drawn == drawn
    assert found.share.sum() == pytest.approx(1)
    came, error = found.here.sum(axis=1), 5 * np.sqrt(count * 0.65 * 0.35 / 5_000) if drawn else 1e-9
    assert found.share @ came == pytest.approx(0.65 * count, abs=error)
    if not drawn:
        assert found.share @ (came == 0) == pytest.approx(0.35**count)


def test_an_outsiders_six_clients_have_the_noise_of_all_64_choices():
    """500 draws told a variance of 4.62, where brute force over all choices says 2.74."""
    budgets = [0.2, 0.6, 1.5, 3, 6, 11]
    one = parse(
        {
            "clients": {"count": 6, "epsilon": budgets, "low": -2.5, "high": 0.25},
            "mechanism": "pdpm",
            "aggregator": "inverse_variance",
            "selection": {"kind": "self_sampling", "least": 0.3},
        }
    )
    told = theory.server_variance(one)
    assert told == pytest.approx(2.739787, rel=1e-6)
