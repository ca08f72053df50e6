"""One bit through a coin: the mechanism's law, an interval that holds, and the attacker's odds."""

import math

import numpy as np
import pytest

from ldp_core import lessons
from ldp_core.lessons import coin


@pytest.mark.parametrize("epsilon", coin.BUDGETS.values())
def test_keep_probability_is_that_of_randomised_response(epsilon: float):
    assert coin.keep(epsilon) == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)), rel=1e-12)
    assert math.log(coin.keep(epsilon) / (1 - coin.keep(epsilon))) == pytest.approx(epsilon)


def test_first_choice_is_a_coin_that_lies_once_in_four():
    first, *_ = coin.BUDGETS.values()
    assert coin.keep(first) == pytest.approx(3 / 4)
    assert coin.odds(first) == (75, 100)
    larger = coin.odds(coin.BUDGETS[coin.tenfold(next(iter(coin.BUDGETS)))])
    assert larger.right / larger.tries > 0.9999


@pytest.mark.parametrize("people", [1, 7, 30, 100])
@pytest.mark.parametrize("epsilon", [0.25, math.log(3), 10 * math.log(3)])
def test_interval_covers_every_truth_in_95_of_100_rooms(people: int, epsilon: float):
    """Counted out exactly: no truth is missed more often, and a room of certain coins is known."""
    p, ends = coin.keep(epsilon), coin.intervals(people, epsilon)
    for truth in range(people + 1):
        law = np.convolve(coin._binomial(truth, p), coin._binomial(people - truth, 1 - p))
        assert law.sum() == pytest.approx(1)
        held = sum(law[k] for k, (low, high) in enumerate(ends) if low <= truth <= high)
        assert held >= coin.CONFIDENCE - 1e-9
        mean = sum(law[k] * coin.estimate(k, people, epsilon) for k in range(people + 1))
        assert mean == pytest.approx(truth / people)
    if epsilon > 10:
        assert all(high - low <= 1 for low, high in ends)


def test_hundred_times_the_people_are_known_ten_times_as_closely():
    """What the lesson's last question calls right, and what it says of two tosses."""
    plan = lessons.get("one_bit").transfer
    law = coin.LAW.variance(1.0, math.log(3), 0.0, 1.0)
    assert math.sqrt(law / 100) / math.sqrt(law / 10_000) == pytest.approx(10)
    assert "ten thousand" in plan.right and "ten times" in plan.why
    assert "twice the ε" in plan.wrong["let each toss twice, and send both"]


def test_room_shows_other_budgets_beside_the_asked_one():
    shown = coin.room("11", {"1.1": (12, 30), "11": (9, 28)})
    names = [one["name"] for one in shown["laws"]]
    assert names == ["0.25", "0.5", "1.1", "11"] and names[shown["start"]] == "11"
    assert shown["said"] == [None, None, 12, 9]
    assert [one["people"] for one in shown["laws"]] == [28, 28, 30, 28]
    assert all(len(one["ends"]) == one["people"] + 1 for one in shown["laws"])
