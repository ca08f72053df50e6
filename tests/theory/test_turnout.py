"""Who takes part: where each client decides by a draw of its own, every choice with its chance, or many."""

import numpy as np
import pytest
from scipy.stats import binom

from ldp_core.experiment import parse, plan
from ldp_core.theory import server_noise, server_variance
from ldp_core.theory.turnout import turnouts


@pytest.mark.parametrize(
    ("count", "kinds", "drawn"),
    [(1, 1, False), (14, 14, False), (15, 15, True), (1000, 1, False), (60, 2, False)],
)
def test_self_sampling_is_enumerated_by_kind(count: int, kinds: int, drawn: bool):
    """Of those drawn, 5 000, the mean is off by five standard errors once in a million."""
    one = parse({"clients": {"count": count}, "selection": {"kind": "self_sampling", "least": 0.3}})
    (found,) = turnouts(plan(one), np.arange(count, dtype=np.int64) % kinds)
    assert found.drawn == drawn
    assert found.share.sum() == pytest.approx(1)
    came, error = found.here.sum(axis=1), 5 * np.sqrt(count * 0.65 * 0.35 / 5_000) if drawn else 1e-9 * count
    assert found.share @ came == pytest.approx(0.65 * count, abs=error)
    if not drawn:
        assert found.share @ came**2 == pytest.approx((0.65 * count) ** 2 + count * 0.65 * 0.35)
        assert found.share @ (came == 0) == pytest.approx(0.35**count)
        of_first = (found.here & (found.clients % kinds == 0)).sum(axis=1)
        assert found.share @ of_first == pytest.approx(0.65 * -(-count // kinds))


def test_self_sampling_noise_averages_over_choices():
    """E[1/N] of a binomial N for equal clients; for six others an outsider's sum over their 64 choices."""
    noise = server_noise(plan(parse({"clients": {"epsilon": 1.0}, "selection": "self_sampling"})))
    alone = server_variance(parse({"clients": {"epsilon": 1.0, "count": 1}}))
    expected = alone * sum(binom.pmf(n, 20, 0.75) / n for n in range(1, 21))
    assert noise.error == 0
    assert noise.variance == pytest.approx(expected, rel=1e-10)
    clients = {"count": 6, "epsilon": [0.2, 0.6, 1.5, 3, 6, 11], "low": -2.5, "high": 0.25}
    six = {"clients": clients, "mechanism": "pdpm", "aggregator": "inverse_variance"}
    six |= {"selection": {"kind": "self_sampling", "least": 0.3}}
    assert server_variance(parse(six)) == pytest.approx(2.739787, rel=1e-6)
