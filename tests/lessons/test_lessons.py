"""Each lesson has a stored answer, a right option that is right, and one thing to change."""

import re
from statistics import fmean

import pytest

from ldp_core import aggregators, lessons, mechanisms, presets
from ldp_core.accounting import word_of
from ldp_core.composition.compose import compose_counts
from ldp_core.events.run import RoundDone
from ldp_core.presets.questions import OptionQuestion
from ldp_core.runs import outcomes, stored_ladder
from ldp_core.simulate import simulate
from pages.parts.learn.figures import EPSILON
from tests.data import digits


@pytest.mark.parametrize("name", lessons.names())
def test_lesson_has_a_stored_outcome(name: str):
    plan = lessons.get(name)
    assert len(set(plan.transfer.options)) == len(plan.transfer.options) > 2
    assert len(plan.setting.split()) <= 50
    if plan.kind != "scenario":
        return
    ask, found = plan.ask, outcomes.stored(plan.scenario)
    assert found is not None
    answers = ask.answers(found.results)
    assert answers
    if isinstance(ask, OptionQuestion):
        assert {*plan.wrong} == {*ask.options} - {*answers}, "a sentence for every wrong guess"
    else:
        mean = fmean(map(float, answers))
        far = {"higher": ask.most - mean > ask.near, "lower": mean > ask.near}
        assert {*plan.wrong} == {way for way, wrong in far.items() if wrong}


@pytest.mark.parametrize("mechanism", ["duchi", "piecewise", "laplace", "hybrid"])
def test_first_lesson_right_option_leaves_the_least_noise(mechanism: str):
    """Of its options, rounds change no round's noise."""
    law = mechanisms.get(mechanism)

    def left(weights: str, strict: float) -> float:
        """Noise variance at the server of a hundred clients with ε `strict` and one with 0.01."""
        each = [law.variance(0.0, epsilon, -1.0, 1.0) for epsilon in [strict] * 100 + [0.01]]
        shares = aggregators.get(weights).weights(each)
        return sum(w * w * v for w, v in zip(shares, each, strict=True))

    plan = lessons.get("whom").transfer
    budget = re.search(r"ask the hundred for ε ([\d.]+)", " ".join(plan.options))
    assert budget and "everybody" not in " ".join(plan.options)
    assert plan.right == "weigh each answer by 1/σ²"
    assert left("inverse_variance", 1.0) < left("mean", float(budget[1])) / 50 < left("mean", 1.0)


def test_second_lesson_has_a_run_for_each_step_of_its_text():
    """Weights in ±1, in ±0.1, changes in ±0.1: only the range, then only what is sent differs."""
    found = outcomes.stored("send_changes")
    assert found is not None
    wide, narrow, changes = (fmean(ends) for ends in found.ends)
    assert wide + 0.2 < narrow < changes - 0.2
    first, second, third = presets.get("send_changes").draft.experiments()
    tau = [one.clients.bounds()[1].max() for one in (first, second, third)]
    assert (first.target, second.target, third.target) == ("weights", "weights", "update")
    assert tau == [1.0, 0.1, 0.1]
    verdicts = {(one.label, one.verdict) for one in found.results}
    assert len(verdicts) == 3 and {kind for _, kind in verdicts} == {"recovered", "partly"}


def test_fourth_lesson_agrees_with_stored_pictures():
    found = outcomes.stored("same_epsilon")
    assert found is not None
    answers = presets.get("same_epsilon").ask.answers(found.results)
    assert set(answers) == {"Piecewise only"} and "copy" in presets.get("same_epsilon").ask.text
    kinds = [picture["kind"] for picture in found.pictures if picture]
    assert kinds == ["recovered", "partly", "partly"], "as the frames show: no blur is called a copy"


def test_fourth_lesson_smaller_variance_is_closer_at_its_budget():
    stored = stored_ladder.stored_ladder()
    assert stored is not None
    at_eight = {name: cell["ncc"] for (name, epsilon), cell in stored.desk.cells.items() if epsilon == 8}
    spread = {name: mechanisms.get(name).variance(0.0, 8.0, -1.0, 1.0) for name in at_eight}
    assert max(at_eight, key=at_eight.__getitem__) == min(spread, key=spread.__getitem__)
    assert lessons.get("other_secrets").transfer.right == "the one with less variance"


def test_fifth_lesson_right_option_alone_promises_something():
    plan = lessons.get("budget_of_what").transfer
    words = []
    for option in plan.options:
        epsilon, weights = re.match(r"ε (\d+)(?: for each of ([\d ]+) weights)?", option).groups()  # type: ignore
        uses = int(re.sub(r"\s", "", weights or "1")) * (1 if "ever" in option else 100)
        words.append(word_of(compose_counts((float(epsilon),), (uses,), 1e-5 if uses > 1 else 0.0).epsilon))
        added = f"{float(epsilon) * uses:,.0f}".replace(",", " ")
        assert "ever" in option or added in plan.wrong[option]
    assert [word != "nothing" for word in words] == [option == plan.right for option in plan.options]


def test_fifth_lesson_asks_for_the_sum_that_its_dots_show():
    found = outcomes.stored("what_epsilon_says")
    assert found is not None
    (answer,) = set(presets.get("what_epsilon_says").ask.answers(found.results))
    assert answer == f"ε {650 * 15 * EPSILON:,.0f}".replace(",", " ")


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
        found[kind] = min(share for share in last.accuracy_per_class[5:] if share is not None)
    assert found["group_labels"] < 0.05
    assert found["iid"] > 0.5
