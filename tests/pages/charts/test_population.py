"""The population's picture: an outlier is drawn, however many clients there are."""

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.experiment import changed
from pages.parts.charts.population import MOST, drawn, left_out, population_figure
from tests.pages.charts.test_base import check


@pytest.mark.parametrize("count", [500, 1000, 60_000])
@pytest.mark.parametrize("place", [1, 2, 333, -1])
def test_a_client_that_asks_for_more_than_the_others_is_drawn(count: int, place: int):
    """It was among those that were left out, and the picture did not follow the table."""
    budgets = [0.5] * count
    budgets[place] = 5.0
    base = changed(
        presets.get("two_volunteers").draft.base,
        {"dataset": "mnist", "clients.count": count, "clients.epsilon": budgets},
    )
    asked, noise = check(population_figure(base)).data
    shown = dict(zip(asked.x, asked.y, strict=True))
    assert shown[place % count + 1] == 5.0
    assert noise.y[list(noise.x).index(place % count + 1)] == pytest.approx(min(noise.y))


def test_few_are_all_drawn_and_of_many_the_extreme_ones_with_a_word():
    noise = np.random.default_rng(0).random(60_000)
    assert len(drawn(noise[:MOST])) == MOST
    assert left_out(MOST) == ""
    kept = drawn(noise, 1 - noise)
    assert len(kept) <= MOST
    assert {0, 59_999, noise.argmin(), noise.argmax()} <= set(kept.tolist())
    assert left_out(60_000) == "of every 240 neighbours, the lowest and the highest are drawn"
