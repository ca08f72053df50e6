"""A scenario's first question: every scenario has one, and its answer is read from a record."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.presets import questions
from ldp_core.presets.claims import Sentence
from ldp_core.presets.evidence import Attempts, Evidence, Missing, Outcome
from ldp_core.presets.questions import NO, TIE, YES, Choice, Figure

WHY = Sentence("Because.")
RECORDS = 40
"""Made-up records of a scenario: enough that a question which reads them answers at least twice otherwise."""


def made_up(labels: Iterable[str], seed: int, seeds: int = 2) -> Evidence:
    """A record in which anything may have happened."""
    draw = np.random.default_rng(seed)

    def attempts(kind: str) -> Attempts:
        back = bool(draw.integers(2))
        psnr = draw.uniform(5, 40, size=3)
        return Attempts(psnr, "recovered" if back else "hidden", recovered=int(draw.integers(21)), images=20)

    def outcome(label: str, seed: int) -> Outcome:
        return Outcome(
            label,
            seed,
            accuracy=float(draw.uniform()),
            per_class=tuple(draw.uniform(size=10)),
            permissive=float(draw.uniform()),
            noise=draw.uniform(size=3),
            attempts={(kind, 0): attempts(kind) for kind in ("audit", "real")},
        )

    return Evidence(outcome(label, seed) for label in labels for seed in range(seeds))


@pytest.mark.parametrize("name", presets.names())
def test_every_scenario_asks_what_its_own_record_answers(name: str):
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
    with pytest.raises(Missing):
        ask.answers(Evidence([]))


@pytest.mark.parametrize("name", presets.names())
def test_without_one_of_the_runs_that_tell_there_is_no_answer(name: str):
    preset = presets.get(name)
    others = {variant.label for variant in preset.draft.variants} - {preset.ask.of[0]}
    with pytest.raises(Missing):
        preset.ask.answers(made_up(others, 1))


def run(label: str, accuracy: float, seed: int = 0, **attempts: Attempts) -> Outcome:
    tries = {(kind, 0): one for kind, one in attempts.items()}
    return Outcome(label, seed, accuracy, (0.2, 0.4, 0.6), 0.0, np.array([]), tries)


HIDDEN = Attempts(np.array([9.0, 11.0]), "hidden", recovered=3, images=20)
BACK = replace(HIDDEN, psnr=np.array([24.0, 30.0]), verdict="recovered", recovered=11)
UNSURE = replace(HIDDEN, verdict="inconclusive")


def test_a_figure_is_read_seed_by_seed():
    figure = Figure("?", ("a",), questions.accuracy, WHY)
    record = Evidence([run("a", 0.25), run("a", 0.5, seed=1)])
    assert figure.answers(record) == (25.0, 50.0)
    shares = Figure("?", ("a",), questions.named_right([1, 2]), WHY)
    assert shares.answers(Evidence([run("a", 0.1)])) == pytest.approx((50.0,))
    images = Figure("?", ("a",), questions.images_back, WHY, most=20, unit="")
    assert images.answers(Evidence([run("a", 0.1, real=BACK)])) == (11.0,)
    with pytest.raises(Missing):
        images.answers(Evidence([run("a", 0.1, audit=BACK)]))
    many = Figure("?", ("a", "b"), questions.above(0.3), WHY, most=2, unit="")
    assert many.answers(Evidence([run("a", 0.3), run("b", 0.31)])) == (1.0,)


def test_designs_are_ordered_and_a_tie_is_said():
    labels = ("a", "b", "c")
    order = questions.ordered("?", labels, WHY)
    ends = {0: (0.2, 0.9, 0.5), 1: (0.5, 0.2, 0.5)}
    record = Evidence(
        run(label, end, seed) for seed, row in ends.items() for label, end in zip(labels, row, strict=True)
    )
    assert order.answers(record) == ("a < c < b", TIE)
    assert order.takes("c < b < a") and not order.takes(TIE)
    assert questions.most_accurate("?", labels, WHY).answers(record) == ("b", TIE)
    assert questions.most_accurate("?", labels, WHY, least=True).answers(record) == ("a", "b")


def test_what_holds_is_looked_up():
    ahead = questions.yes_or_no("?", ("a", "b"), lambda a, b: a.accuracy > b.accuracy, WHY)
    record = Evidence([run("a", 0.9), run("b", 0.5), run("a", 0.4, 1), run("b", 0.5, 1)])
    assert ahead.answers(record) == (YES, NO)
    first = questions.first_that("?", {"a": "once", "b": "twice"}, questions.gives_back, "never", WHY)
    assert first.answers(Evidence([run("a", 0, audit=HIDDEN), run("b", 0, audit=BACK)])) == ("twice",)
    assert first.answers(Evidence([run("a", 0, audit=HIDDEN), run("b", 0, audit=HIDDEN)])) == ("never",)
    with pytest.raises(Missing, match="shows nothing"):
        first.answers(Evidence([run("a", 0, audit=UNSURE), run("b", 0, audit=BACK)]))
    near = questions.closest("?", ("a", "b"), WHY)
    assert near.answers(Evidence([run("a", 0, audit=HIDDEN), run("b", 0, audit=BACK)])) == ("b",)


@pytest.mark.parametrize("guess", [-1, 101, True, "60", None])
def test_what_is_no_guess_is_not_taken(guess: object):
    assert not Figure("?", ("a",), questions.accuracy, WHY).takes(guess)
    assert not Choice("?", ("a",), (YES, NO), lambda a: YES, WHY).takes(guess)
