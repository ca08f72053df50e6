"""Who asks for what: the modes, dealt in client order, for any number of clients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core import limits
from ldp_core.experiment import EPSILON_MODES, RANGE_MODES, parse, plan


@pytest.mark.parametrize("name", [*EPSILON_MODES, *RANGE_MODES])
@given(count=st.integers(1, 3000))
def test_every_mode_deals_every_client_something_allowed(name: str, count: int):
    mode = EPSILON_MODES.get(name) or RANGE_MODES[name]
    dealt = mode.deal(count)
    assert dealt.shape == (count,)
    limit = limits.EPSILON if name in EPSILON_MODES else limits.HALF_WIDTH
    assert all(limit.allows(value) for value in set(dealt.tolist()))
    assert mode.label
    assert mode.summary.endswith(".")


def test_the_papers_modes():
    deal = {name: mode.deal for name, mode in (EPSILON_MODES | RANGE_MODES).items()}
    assert deal["eps1"](5).tolist() == [0.1, 0.2, 0.1, 0.2, 0.1]
    assert deal["eps2"](12).tolist() == pytest.approx([*(k / 10 for k in range(1, 11)), 0.1, 0.2])
    assert deal["eps3"](3).tolist() == [0.9, 1.0, 0.9]
    # the papers give lengths; a range here is a half-width
    assert (2 * deal["tau1"](3)).tolist() == pytest.approx([0.2, 0.4, 0.2])
    assert (2 * deal["tau2"](11)).tolist() == pytest.approx([*(k / 5 for k in range(1, 11)), 0.2])
    assert (2 * deal["tau3"](3)).tolist() == pytest.approx([1.8, 2.0, 1.8])


def test_the_scenarios_modes():
    assert EPSILON_MODES["two_volunteers"].deal(20).tolist() == [0.5] * 18 + [8.0] * 2
    assert EPSILON_MODES["half_and_half"].deal(20).tolist() == [0.5] * 10 + [8.0] * 10
    three = EPSILON_MODES["three_levels"].deal(100)
    assert [int((three == e).sum()) for e in (0.5, 2, 8)] == [54, 37, 9]
    heavy = EPSILON_MODES["heavy_tailed"].deal(1000)
    assert (np.diff(heavy) >= 0).all()
    assert np.median(heavy) < 0.5
    assert heavy.max() == 20
    assert [EPSILON_MODES["heavy_tailed"].deal(count).max() for count in (20, 49, 50)] == pytest.approx(
        [8, 19.6, 20]
    )


def test_a_budget_for_the_upload_is_shared_by_its_weights():
    population = plan(parse({"clients": {"epsilon": [6.5] * 20, "epsilon_scope": "upload"}})).population
    np.testing.assert_allclose(population.epsilon, 0.01)
