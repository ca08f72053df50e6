"""The words of a verdict, and what the noise alone decides."""

import numpy as np
import pytest

from ldp_core.experiment import parse, plan
from ldp_core.theory.learnability import certain, edges, tried_out, word_of
from tests.data import events


@pytest.mark.parametrize(("guess", "low", "high"), [(0.1, 0.352, 0.748), (0.5, 0.64, 0.86)])
def test_bands_are_shares_of_the_way_from_guessing(guess: float, low: float, high: float):
    assert edges(guess) == pytest.approx((low, high))
    words = [word_of(one, guess) for one in (low - 0.01, low + 0.01, high - 0.01, high + 0.01)]
    assert words == ["chance", "borderline", "borderline", "learns"]


def test_interval_holds_nine_of_ten_and_word_has_its_probability():
    """Trials and run around one accuracy, with the spread that is assumed of a trial's own error."""
    draw = np.random.default_rng(0)
    inside, claimed, right = 0, 0.0, 0
    for _ in range(4000):
        centre = draw.uniform(0.1, 1)
        trials, run = centre + 0.03 * draw.standard_normal(4), centre + draw.normal(0, np.hypot(0.03, 0.04))
        view = tried_out(trials.tolist(), 0.1, "")
        assert view.low is not None and view.high is not None and view.probability is not None
        inside += view.low <= run <= view.high or run > 1
        claimed, right = claimed + view.probability, right + (view.word == word_of(run, 0.1))
    assert 0.86 < inside / 4000 < 0.95
    assert right / 4000 == pytest.approx(claimed / 4000, abs=0.03)


@pytest.mark.parametrize("target", ["weights", "update"])
def test_drowning_noise_is_chance_without_a_trial(target: str):
    changes = {"clients": {"epsilon": 0.02}, "target": target, "mechanism": "laplace", "attack": None}
    view = certain(plan(parse(changes)))
    assert view is not None and view.word == "chance" and view.high is not None
    assert events(changes)[-1]["accuracy"] <= view.high
    assert certain(plan(parse(changes | {"clients": {"epsilon": 8}}))) is None


def test_clients_that_never_send_are_chance_for_certain():
    view = certain(plan(parse({"clients": {"epsilon": 8, "run_limit": 100}})))
    assert view is not None and view.word == "chance" and "limit" in view.why
