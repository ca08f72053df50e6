"""Who takes part: where each client decides by a draw of its own, every choice with its chance, or many."""

from math import comb

import numpy as np
import pytest

from ldp_core import theory
from ldp_core.experiment import parse
from ldp_core.theory.turnout import turnouts


@pytest.mark.parametrize(
    ("count", "kinds", "drawn"),
    [(1, 1, False), (14, 14, False), (15, 15, True), (1000, 1, False), (60, 2, False)],
)
def test_who_decide_by_themselves_are_gone_through_by_their_kinds(count: int, kinds: int, drawn: bool):
    """Of those drawn, 5 000, the mean is off by five standard errors once in a million."""
    one = parse({"clients": {"count": count}, "selection": {"kind": "self_sampling", "least": 0.3}})
    (found,) = turnouts(one, np.arange(count, dtype=np.int64) % kinds)
    assert found.drawn == drawn
    assert found.share.sum() == pytest.approx(1)
    came, error = found.here.sum(axis=1), 5 * np.sqrt(count * 0.65 * 0.35 / 5_000) if drawn else 1e-9 * count
    assert found.share @ came == pytest.approx(0.65 * count, abs=error)
    if not drawn:
        assert found.share @ came**2 == pytest.approx((0.65 * count) ** 2 + count * 0.65 * 0.35)
        assert found.share @ (came == 0) == pytest.approx(0.35**count)
        of_first = (found.here & (found.clients % kinds == 0)).sum(axis=1)
        assert found.share @ of_first == pytest.approx(0.65 * -(-count // kinds))


def test_equal_clients_who_decide_by_themselves_need_no_draws():
    """E[1/N] of a binomial N, where 20 000 draws gave 0.2501 for what is 0.2499."""
    noise = theory.server_noise(parse({"clients": {"epsilon": 1.0}, "selection": "self_sampling"}))
    alone = theory.server_variance(parse({"clients": {"epsilon": 1.0, "count": 1}}))
    came = np.arange(1, 21)
    chances = np.array([comb(20, int(n)) * 0.75**n * 0.25 ** (20 - n) for n in came])
    assert noise.error == 0
    assert noise.variance == pytest.approx(alone * (chances / came).sum(), rel=1e-10)


def test_an_outsiders_six_clients_have_the_noise_of_all_64_choices():
    """500 draws gave a variance of 4.62, where brute force over all choices says 2.74."""
    budgets = [0.2, 0.6, 1.5, 3, 6, 11]
    one = parse(
        {
            "clients": {"count": 6, "epsilon": budgets, "low": -2.5, "high": 0.25},
            "mechanism": "pdpm",
            "aggregator": "inverse_variance",
            "selection": {"kind": "self_sampling", "least": 0.3},
        }
    )
    variance = theory.server_variance(one)
    assert variance == pytest.approx(2.739787, rel=1e-6)
