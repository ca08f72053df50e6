"""Each lesson has a stored answer, a right option that is right, and one thing to change."""

import pytest

from ldp_core import aggregators, lessons, mechanisms, presets
from ldp_core.classroom import FREE
from ldp_core.errors import UnknownName
from ldp_core.events.run import RoundDone
from ldp_core.runs import outcomes
from ldp_core.simulate import simulate
from tests.data import digits


@pytest.mark.parametrize("name", lessons.names())
def test_a_lesson_can_be_held_from_what_is_stored(name: str):
    plan = lessons.get(name)
    assert plan.scenario in presets.names()
    found = outcomes.stored(plan.scenario)
    assert found is not None and presets.get(plan.scenario).ask.answers(found.results)
    assert plan.free in FREE
    assert len(set(plan.transfer.options)) == len(plan.transfer.options) > 2
    assert len(plan.setting.split()) <= 50


def test_they_are_five_in_order_and_others_are_named():
    assert lessons.names() == ["whom", "safe_range", "who_pays", "other_secrets", "budget_of_what"]
    with pytest.raises(UnknownName, match="whom"):
        lessons.get("whome")


def test_one_noisy_answer_in_a_hundred_and_one_is_nearly_all_of_a_means_noise():
    """The last question of the first lesson, by the formulas themselves."""
    law = mechanisms.get("duchi")
    variances = [law.variance(0.0, 1.0, -1.0, 1.0)] * 100 + [law.variance(0.0, 0.01, -1.0, 1.0)]
    left = {
        name: sum(w * w * v for w, v in zip(aggregators.get(name).weights(variances), variances, strict=True))
        for name in ("mean", "inverse_variance")
    }
    kinder = sum(law.variance(0.0, e, -1.0, 1.0) for e in [1.1] * 100 + [0.01]) / 101**2
    assert left["inverse_variance"] < left["mean"] / 50
    assert kinder > left["mean"] * 0.9, "a little more budget of all others helps little"


def test_half_the_range_leaves_a_quarter_of_the_variance():
    law = mechanisms.get("duchi")
    assert law.variance(0.0, 1.0, -0.5, 0.5) == pytest.approx(law.variance(0.0, 1.0, -1.0, 1.0) / 4)
    assert lessons.get("safe_range").transfer.right == "a quarter of it"


def test_where_data_are_alike_the_generous_teach_all_ten_digits():
    """The last question of the third lesson, trained: the scenario as it is, but for how the digits lie."""
    plan = lessons.get("who_pays")
    found = {}
    for kind in ("group_labels", "iid"):
        draft = presets.get(plan.scenario).draft.with_base({"partition.kind": kind})
        (one,) = (
            experiment
            for variant, experiment in zip(draft.variants, draft.experiments(), strict=True)
            if variant.label == "1/σ²"
        )
        *_, last = (event for event in simulate(one, digits()) if isinstance(event, RoundDone))
        found[kind] = min(last.accuracy_per_class[5:])
    assert found["group_labels"] < 0.05
    assert found["iid"] > 0.5
