"""Each lesson has a stored answer, a right option that is right, and one thing to change."""

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from ldp_core import doctor, lessons, mechanisms, presets
from ldp_core.classroom import sessions, topics
from ldp_core.events.run import RoundDone
from ldp_core.lessons import coin, files
from ldp_core.plugins import folder
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


OWN = """
label = "How fast to learn"
scenario = "half_and_half"
setting = "Ten people ask for a strict budget, ten for a generous one."
free = "local.learning_rate"
order = 45

[transfer]
text = "Each answer is cut to a safe range. What can larger steps do?"
right = "lift the signal, up to the cut"
why = "Only the signal comes from training."
wrong = {"lower ε" = "ε is asked for.", "shrink the noise" = "Noise follows from the range."}
"""
Put = Callable[..., None]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Put]:
    """Writes files into a folder of parts, which is read anew."""
    monkeypatch.setattr(folder, "__path__", [str(tmp_path)])
    (tmp_path / "lessons").mkdir()

    def forget() -> None:
        lessons.refused.clear()
        for each in (lessons._found, lessons._translated, lessons.get):
            each.cache_clear()

    def written(**texts: str) -> None:
        for name, text in texts.items():
            (tmp_path / "lessons" / f"{name.replace('__', '.')}.toml").write_text(text, encoding="utf-8")
        forget()

    monkeypatch.setattr(lessons, "refused", lessons.refused)
    yield written
    monkeypatch.undo()
    forget()


def test_own_lesson_stands_on_the_path_at_its_place(put: Put):
    put(how_fast=OWN)
    before, after = lessons.names().index("safe_range"), lessons.names().index("whom")
    assert before < lessons.names().index("how_fast") < after
    assert "how_fast" in topics.names() and sessions.free_fields("how_fast")[0] == "local.learning_rate"
    assert not lessons.refused


def test_translation_beside_a_lesson_is_another_language(put: Put):
    fast, whom = 'label = "Vite"', 'label = "Qui écouter"'
    put(
        how_fast=OWN,
        how_fast__fr=fast,
        whom__fr=whom,
        classroom_words__fr='[words]\n"go in" = "Entrer"',
    )
    assert "fr" in lessons.languages()
    assert lessons.get("how_fast", "fr").label == "Vite"
    assert lessons.get("how_fast", "fr").setting == lessons.get("how_fast").setting
    assert lessons.get("whom", "fr").label == "Qui écouter"
    assert (lessons.said("go in", "fr"), lessons.said("leave", "fr")) == ("Entrer", "Leave the class")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[words]\nleave = "Sortir"\n"go out" = "Sortir"', "line 3"),
        ('[words]\nhere = "{n} sur {tous}"', "line 2"),
        ('[words]\nhere = "{n} ici }"', "line 2"),
        ('[words]\n"drawing sent" = "ε {epsilon:x}"', "line 2"),
    ],
)
def test_sentence_that_no_page_can_fill_is_left_out_with_its_line(put: Put, text: str, line: str):
    put(classroom_words__fr=text)
    assert lessons.said("here", "fr", n=3) == "3 here" and line in lessons.refused["classroom_words.fr"]


def test_own_sentence_stands_among_the_houses(put: Put):
    put(classroom_words__de='[words]\nleave = "Tschüss"')
    assert (lessons.said("leave", "de"), lessons.said("go in", "de")) == ("Tschüss", "Mitmachen")


def test_options_in_another_language_are_the_same_answers(put: Put):
    put(other_secrets__fr='[options]\nneither = "aucun"')
    ask, english = lessons.get("other_secrets", "fr").ask, lessons.get("other_secrets").ask
    assert isinstance(ask, OptionQuestion) and isinstance(english, OptionQuestion)
    assert ask.options == english.options and ask.called("neither") == "aucun"


def test_own_question_for_the_coin_has_the_coins_words(put: Put):
    text = re.sub(r"scenario = .*", 'kind = "one_bit"\nquestion = "Do you skip lectures?"', OWN)
    put(skips=text.replace('free = "local.learning_rate"', ""))
    assert topics.get("skips").question == "Do you skip lectures?"
    assert lessons.get("skips", "de").words["yes"] == "Ja"
    assert sessions.free_fields("skips") == sessions.free_fields("one_bit")


@pytest.mark.parametrize(
    ("bad", "line"),
    [
        (OWN.replace("order = 45", 'order = "late"'), "line 6"),
        (OWN.replace("free =", "fre ="), "line 5"),
        (OWN.replace("half_and_half", "half_and_halve"), "line 3"),
        (OWN.replace('label = "', "label = "), "line 2"),
        (OWN.replace("[transfer]", "[transfers]"), "line 8"),
        (OWN.replace("why = ", "wy = "), "line "),
    ],
)
def test_bad_lesson_is_left_out_with_file_and_line(put: Put, bad: str, line: str):
    put(how_fast=bad, whom__xx="label = 3")
    assert "how_fast" not in lessons.names() and "xx" not in lessons.languages()
    assert "how_fast.toml" in lessons.refused["how_fast"] and line in lessons.refused["how_fast"]
    assert "whom.xx.toml, line 1" in lessons.refused["whom.xx"]
    kind, said = doctor.parts()
    assert kind == "note" and lessons.refused["how_fast"] in said


@pytest.mark.parametrize("name", [file.stem for file in files._files(files.HOUSE) if "." in file.stem])
def test_translation_of_the_house_fits_its_lesson(name: str):
    """The same placeholders and as many options: else a page would say less, or fail."""
    english, _, language = name.partition(".")
    if english == files.WORDS:
        own_words, words = (
            files._read(files.HOUSE / f"classroom_words.{one}.toml", files.PageWords).words
            for one in (language, "en")
        )
        assert own_words.keys() == words.keys()
        pairs = [(words[key], said) for key, said in own_words.items()]
    else:
        plan, own = lessons.get(english), lessons.get(english, language)
        assert len(own.transfer.options) == len(plan.transfer.options)
        assert own.words.keys() == plan.words.keys() and len(own.terms) == len(plan.terms)
        assert own.wrong.keys() == plan.wrong.keys()
        if own.options and isinstance(plan.ask, OptionQuestion):
            assert own.options.keys() <= {*plan.ask.options}
        assert not plan.scenario or type(own.ask) is type(plan.ask)
        pairs = [(plan.words[key], own.words[key]) for key in plan.words]
    for first, second in pairs:
        assert sorted(re.findall(r"\{\w+\}", first)) == sorted(re.findall(r"\{\w+\}", second)), second


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


def test_room_shows_other_budgets_beside_the_asked_one():
    shown = coin.room("11", {"1.1": (12, 30), "11": (9, 28)})
    names = [one["name"] for one in shown["laws"]]
    assert names == ["0.25", "0.5", "1.1", "11"] and names[shown["start"]] == "11"
    assert shown["said"] == [None, None, 12, 9]
    assert [one["people"] for one in shown["laws"]] == [28, 28, 30, 28]
    assert all(len(one["ends"]) == one["people"] + 1 for one in shown["laws"])
