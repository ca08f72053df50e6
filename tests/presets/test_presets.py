"""Presets: found by discovery, runnable, and worded."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from ldp_core import presets, systems
from ldp_core.accounting import entry_of, ledger
from ldp_core.cost.estimate import cost
from ldp_core.errors import UnknownName
from ldp_core.experiment import checked, parse, parse_draft, plan
from ldp_core.presets import questions
from ldp_core.presets.of_systems.five_side_by_side import FIVE, SHARED
from ldp_core.presets.questions import NO, TIE, YES, CompletedRun, NumberQuestion, OptionQuestion
from ldp_core.presets.sixty_thousand import FEW, SOME, TOTALS, UNEVEN


def test_the_default_comes_first_and_is_the_empty_experiment():
    assert presets.names()[0] == "two_volunteers"
    base = presets.get("two_volunteers").draft.base
    assert plan(base).key == plan(parse({})).key


@pytest.mark.parametrize("name", presets.names())
def test_every_preset_parses_with_question_and_lesson(name: str):
    preset = presets.get(name)
    draft = checked(preset.draft)
    assert draft.base.name == preset.label
    assert parse_draft(draft.as_json()) == draft
    assert preset.question.endswith("?")
    assert preset.lesson.endswith(".")
    keys = [plan(experiment).key for experiment in draft.experiments()]
    assert len(set(keys)) == len(keys), "two variants are the same run"


def test_an_unknown_preset_is_refused():
    with pytest.raises(UnknownName, match="did you mean two_volunteers"):
        presets.get("two_volunters")


SIDE_BY_SIDE = presets.get("five_side_by_side").draft


def test_five_arms_differ_by_their_system_only():
    made = dict(zip((v.label for v in SIDE_BY_SIDE.variants), SIDE_BY_SIDE.experiments(), strict=True))
    used = {one.system.name for one in made.values() if one.system}
    assert len(used) == len(FIVE) and used <= set(systems.names())
    for label, one in made.items():
        assert one.system is not None
        fill = one.system.fill("digits")
        assert one.mechanism.name == fill["mechanism"]["name"], label
        assert one.aggregator.name == fill["aggregator"]["name"], label
        assert one.selection.name == fill["selection"]["kind"], label
        assert one.dataset == "digits" and one.target == "weights"
        assert one.form == "corrected" and one.model.name == SHARED["model.name"]
        assert one.clients == made[FIVE[0]].clients.model_copy(update={"epsilon": one.clients.epsilon})
        assert (one.partition, one.local, one.rounds) == (
            made[FIVE[0]].partition,
            made[FIVE[0]].local,
            made[FIVE[0]].rounds,
        )


def test_each_person_holds_one_image_and_uploads_once():
    draft = presets.get("sixty_thousand").draft
    made = dict(zip((v.label for v in draft.variants), draft.experiments(), strict=True))
    for label, one in made.items():
        count, rounds = one.clients.count, one.rounds
        assert count == {FEW: 600, SOME: 6_000, UNEVEN: 6_000}.get(label, plan(one).source.train_size)
        each = [one.selection.choose(count, one.seed, number, rounds) for number in range(1, rounds + 1)]
        assert np.array_equal(np.sort(np.concatenate(each)), np.arange(count))
        last = entry_of(ledger(one), count - 1)
        assert {last.upload.bound, last.run_worst.bound} == {float(TOTALS[label])}
        assert one.local.epochs * plan(one).source.train_size <= one.local.batch_size * count, "one step each"


def test_sixty_thousand_fits_in_a_gigabyte():
    """Its clients stream through in chunks, and with a quarter of their size train in half the time too."""
    assert cost(presets.get("sixty_thousand").draft).memory < 1e9


WHY = "Because."
RECORDS = 40
"""Made-up records of a scenario: enough that a question which reads them answers at least twice otherwise."""


def made_up(labels: Iterable[str], seed: int, seeds: int = 2) -> list[CompletedRun]:
    """A record in which anything may have happened."""
    draw = np.random.default_rng(seed)

    def result(label: str, seed: int) -> CompletedRun:
        return CompletedRun(
            label,
            seed,
            accuracy=float(draw.uniform()),
            per_class=tuple(draw.uniform(size=10)),
            verdict="recovered" if draw.integers(2) else "hidden",
            psnr=float(draw.uniform(5, 40)),
            alike=float(draw.uniform(0.6, 1)),
            back=float(draw.integers(21)),
            added_up=float(draw.choice([1, 650, 9750])),
        )

    return [result(label, seed) for label in labels for seed in range(seeds)]


@pytest.mark.parametrize("name", presets.names())
def test_stored_record_answers_the_scenarios_question(name: str):
    preset = presets.get(name)
    ask, labels = preset.ask, [variant.label for variant in preset.draft.variants]
    assert ask.text.endswith("?") and len(ask.text) <= 90
    assert ask.why in preset.says, "the reason is a sentence of the lesson"
    assert set(ask.of) <= set(labels), "it is read from this scenario's runs"
    seen = set()
    for seed in range(RECORDS):
        answers = ask.answers(made_up(labels, seed))
        assert len(answers) == 2, "one for each seed"
        assert all(ask.takes(one) for one in answers), "a visitor can have guessed it"
        seen |= set(answers)
    assert len(seen) > 1, "another record has another answer: none is written down here"
    assert ask.answers([]) == ()


@pytest.mark.parametrize("name", presets.names())
def test_without_one_of_the_runs_that_tell_there_is_no_answer(name: str):
    preset = presets.get(name)
    others = {variant.label for variant in preset.draft.variants} - {preset.ask.of[0]}
    assert preset.ask.answers(made_up(others, 1)) == ()


def run(label: str, accuracy: float, seed: int = 0, **more: Any) -> CompletedRun:
    return CompletedRun(label, seed, accuracy, (0.2, 0.4, 0.6), **more)


HIDDEN: dict[str, Any] = {"verdict": "hidden", "psnr": 10.0}
BACK: dict[str, Any] = {"verdict": "recovered", "psnr": 27.0}


def test_a_figure_is_read_seed_by_seed():
    figure = NumberQuestion("?", ("a",), questions.accuracy, WHY)
    assert figure.answers([run("a", 0.25), run("a", 0.5, seed=1)]) == (25.0, 50.0)
    shares = NumberQuestion("?", ("a",), questions.named_right([1, 2]), WHY)
    assert shares.answers([run("a", 0.1)]) == pytest.approx((50.0,))
    images = NumberQuestion("?", ("a",), questions.images_back, WHY, most=20, unit="")
    assert images.answers([run("a", 0.1, back=11.0)]) == (11.0,)
    assert images.answers([run("a", 0.1, **BACK)]) == (), "no real upload was attacked"


def test_best_run_is_named_and_a_tie_is_said():
    labels = ("a", "b", "c")
    ends = {0: (0.2, 0.9, 0.5), 1: (0.5, 0.2, 0.5)}
    record = [
        run(label, end, seed) for seed, row in ends.items() for label, end in zip(labels, row, strict=True)
    ]
    assert questions.most_accurate("?", labels, WHY).answers(record) == ("b", TIE)
    assert questions.most_accurate("?", labels, WHY, least=True).answers(record) == ("a", "b")


def test_answers_are_counted_by_seed():
    ahead = questions.yes_or_no("?", ("a", "b"), lambda a, b: a.accuracy > b.accuracy, WHY)
    record = [run("a", 0.9), run("b", 0.5), run("a", 0.4, 1), run("b", 0.5, 1)]
    assert ahead.answers(record) == (YES, NO)
    first = questions.first_that("?", {"a": "once", "b": "twice"}, questions.gives_back, "never", WHY)
    assert first.answers([run("a", 0, **HIDDEN), run("b", 0, **BACK)]) == ("twice",)
    assert first.answers([run("a", 0, **HIDDEN), run("b", 0, **HIDDEN)]) == ("never",)
    assert first.answers([run("a", 0, verdict="inconclusive"), run("b", 0, **BACK)]) == ()
    near = questions.closest("?", ("a", "b"), WHY)
    assert near.answers([run("a", 0, **HIDDEN), run("b", 0, **BACK)]) == ("b",)


@pytest.mark.parametrize("guess", [-1, 101, True, "60", None])
def test_invalid_guess_is_not_taken(guess: object):
    assert not NumberQuestion("?", ("a",), questions.accuracy, WHY).takes(guess)
    assert not OptionQuestion("?", ("a",), (YES, NO), lambda a: YES, WHY).takes(guess)
