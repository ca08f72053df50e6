"""A lesson is held by oneself from what is stored: guess, see, answer; its pictures show what is computed,
and whatever is left free in it makes one run or says why it cannot.
"""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from ldp_core import lessons, presets
from ldp_core.accounting import AGAINST
from ldp_core.accounting.worth import NOTHING, UP_TO
from ldp_core.attacks import PublicImages
from ldp_core.attacks.findings.verdict import READ
from ldp_core.classroom import FREE
from ldp_core.datasets import data_dir
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse, plan
from ldp_core.federated.federation import assemble, choose_device, initial_weights
from ldp_core.leakage.observe import one_step
from ldp_core.presets.questions import OptionQuestion
from ldp_core.runs import outcomes
from ldp_core.runs.stored_ladder import stored_ladder
from ldp_core.system.shipped import SHIPPED
from pages.parts.learn.figures import MOST_DOTS, dots_figure, leak_figure
from pages.parts.learn.lesson import said_of_guess
from pages.parts.learn.line_up import LAWS, OWN, TRIES, data, first_changes
from pages.parts.learn.one_thing import draft_of, first_new, options
from pages.parts.ui.text import plain
from tests.extent import every


def opened(lesson: str = "") -> AppTest:
    app = AppTest.from_file(SHIPPED / "pages" / "shell.py", default_timeout=60)
    if lesson:
        app.query_params["lesson"] = lesson
    return app.switch_page("learn.py").run()


def press(app: AppTest, label: str) -> AppTest:
    return next(one for one in app.button if one.label == label).click().run()


def said(app: AppTest) -> str:
    return " ".join(one.value for one in [*app.title, *app.header, *app.markdown, *app.caption, *app.error])


@pytest.mark.parametrize("name", lessons.names())
def test_a_lesson_from_its_question_to_the_last(runs_dir: Path, name: str):
    plan = lessons.get(name)
    app = opened(name)
    assert plan.label in said(app)
    if plan.kind == "scenario":
        assert "What happened" not in said(app), "nothing answers what is still to be guessed"
        press(app, "Just show me")
        assert "What happened, and why" in said(app)
        assert "What do you expect?" not in said(app), "who guessed nothing is not asked beside the answer"
    for wrong, sentence in plan.transfer.wrong.items():
        press(app, plain(wrong))
        assert plain(sentence, 300) in said(app) and plain(plan.transfer.right) in said(app)
    press(app, plain(plan.transfer.right))
    assert "**Right.**" in said(app)
    assert not app.exception
    assert f"{plan.label} ✓" not in said(opened(name)), "another browser has not finished it"


def test_unknown_lesson_is_said_above_the_path(runs_dir: Path):
    app = opened("nothing <b>")
    assert "There is no lesson" in said(app)
    assert [one.label for one in app.button].count("Begin") == len(lessons.names())


def test_field_without_values_is_refused_in_a_sentence():
    with pytest.raises(InvalidExperiment, match="run_limit"):
        options("half_and_half", "clients.run_limit")


@pytest.mark.parametrize(("uses", "shown"), [(1, 1), (650, 650), (9750, 9750), (750_000, MOST_DOTS)])
def test_a_dot_a_number_until_the_sheet_is_full(uses: int, shown: int):
    found = dots_figure(uses)
    assert len(found["data"][0]["x"]) == shown
    note = found["layout"]["annotations"][0]["text"]
    assert bool(note) == (uses > shown)


def test_of_equal_variance_or_less_the_picture_comes_closer():
    stored = stored_ladder()
    assert stored is not None
    found, words = leak_figure(stored)
    assert any(str(READ) in note["text"] for note in found["layout"]["annotations"]), (
        "one scale, with its threshold"
    )
    for line in found["data"]:
        assert line["x"][0] > line["x"][-1], "more budget, less variance"
    best = {max(line["y"]): min(line["x"]) for line in found["data"]}
    assert best[max(best)] == min(best.values()), "the most exact mechanism leaks most: the lesson's sentence"
    assert words.count("at a variance of") == len(found["data"])


def test_one_step_in_numpy_is_the_engine_s():
    base = parse({"target": "update"})
    stock = plan(base).source.load(data_dir())
    federation = assemble(plan(base), stock, choose_device())
    weights, x, y = initial_weights(federation), stock.test_x[:4], stock.test_y[:4]
    engine = one_step(federation, torch.from_numpy(x), torch.from_numpy(y), weights)
    ours = first_changes(weights.numpy().astype(float), PublicImages(x, y), base.local.learning_rate)
    np.testing.assert_allclose(ours, engine, atol=1e-6)


@pytest.mark.parametrize("law", LAWS)
def test_identity_leaks_before_the_image(law: str):
    found = data(law)
    assert len(found["images"]) == len(found["names"]) == 10
    right = [int(re.findall(r"in (\d+) of", step["words"])[0]) for step in found["steps"]]
    closer = ["no closer" not in step["words"] for step in found["steps"]]
    assert right[0] <= TRIES / 2 < right[-1] == TRIES
    first = next(i for i, hits in enumerate(right) if hits > 0.9 * TRIES)
    assert first < (closer.index(True) if any(closer) else len(closer)), "as the title says"
    assert found["steps"][-1]["picked"] == OWN


@pytest.mark.parametrize("scenario", every(3, presets.names()))
def test_every_value_makes_a_run_or_a_sentence(scenario: str):
    for free in FREE:
        for value in options(scenario, free):
            try:
                draft = draft_of(scenario, free, value, str(value))
            except InvalidExperiment as error:
                assert str(error)
            else:
                assert len(draft.variants) == 1


def test_every_adversary_and_worth_has_its_words():
    """In both languages a key that is missing would end the page."""
    for key in (*AGAINST, NOTHING, *(word for _, word in UP_TO)):
        assert lessons.said(key, "de") != lessons.said(key)


@pytest.mark.parametrize("name", [name for name in lessons.names() if lessons.get(name).free])
def test_free_field_of_a_lesson_runs_at_every_value(name: str):
    lesson = lessons.get(name)
    values = list(options(lesson.scenario, lesson.free))
    first, known = values[first_new(lesson.scenario, lesson.free)], presets.get(lesson.scenario).draft
    assert draft_of(lesson.scenario, lesson.free, first, "").experiments()[0] not in known.experiments()
    for value in values:
        assert len(draft_of(lesson.scenario, lesson.free, value, str(value)).experiments()) == 1


def test_first_values_of_a_room_are_spread():
    """All students of a room had one value, and pressed the button as it stood."""
    lesson = lessons.get("safe_range")
    places = [first_new(lesson.scenario, lesson.free, turn) for turn in range(8)]
    assert places[0] == first_new(lesson.scenario, lesson.free) and len(set(places)) > 3


@pytest.mark.parametrize("name", [name for name in lessons.names() if lessons.get(name).scenario])
def test_wrong_guess_is_spoken_to_by_its_own_sentence(name: str):
    plan, found = lessons.get(name), outcomes.stored(lessons.get(name).scenario)
    assert found is not None
    ask = plan.ask
    answers = ask.answers(found.results)
    guesses = [*ask.options] if isinstance(ask, OptionQuestion) else [0.0, float(ask.most)]
    told = {guess: said_of_guess(plan, guess, answers) for guess in guesses}
    assert not told.pop(answers[0]), "who is right is told so elsewhere"
    assert all(told.values()) and len({*told.values()}) == len(told)
