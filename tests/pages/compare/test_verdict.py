"""What made the difference: said where runs differ in one thing alone, and not where they differ in more."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ldp_core import accounting
from ldp_core.experiment import parse, parse_draft
from ldp_core.inference import in_points
from ldp_core.runs import Person, queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.final_figures import final
from pages.parts.charts.base import MUTED
from pages.parts.charts.pareto import ParetoPoint, front, pareto_figure
from pages.parts.charts.rounds import accuracy_figure, noise_figure
from pages.parts.charts.series import Series
from pages.parts.compare.arms import DRAWN, ComparedRun, arms, drawn, named_apart
from pages.parts.compare.choice import _recent, chosen, how_many
from pages.parts.compare.pairs import pairs_card
from pages.parts.compare.side_by_side import _figures
from pages.parts.compare.verdict import gap, verdict
from pages.parts.systems.unlike import unlike
from pages.parts.train.standings import standings
from pages.parts.ui.text import at_most
from tests.pages.charts.test_base import check, made
from tests.runs.in_process import compute, queued, take, trained

SMALL: dict[str, Any] = {"rounds": 3, "attack": None}
MEAN, WEIGHTED = {"aggregator": "mean"}, {"aggregator": "inverse_variance"}


def arm(letter: str, changes: dict[str, Any], seeds: range = range(3), live: bool = False) -> ComparedRun:
    job = cast(Job, SimpleNamespace(live=live, status="running" if live else "completed"))
    asked = SMALL | changes
    return ComparedRun(
        letter, job, "made up", parse(asked), made(ord(letter) - ord("A"), letter, asked, seeds)
    )


def said(*arms: ComparedRun) -> str:
    return verdict(arms, unlike([one.experiment for one in arms]))[0]


def supported(*arms: ComparedRun) -> str:
    return verdict(arms, unlike([one.experiment for one in arms]))[1]


@pytest.fixture(scope="module")
def mean() -> ComparedRun:
    return arm("A", MEAN)


@pytest.fixture(scope="module")
def weighted() -> ComparedRun:
    return arm("B", WEIGHTED)


def test_one_thing_alone_made_the_difference(mean: ComparedRun, weighted: ComparedRun):
    found = gap(weighted, mean)
    assert found.gaps
    assert found.clear
    words = said(mean, weighted)
    assert words.startswith("The aggregator made the difference") and "**A**" in words
    assert found.in_words() in supported(mean, weighted) and len(words.split()) <= 25


def test_each_pair_has_its_interval_and_cause(mean: ComparedRun, weighted: ComparedRun):
    """Also with one seed, where no pair is sure: then none has a colour."""
    more = [arm("C", {**MEAN, "rounds": 4}), arm("D", {**WEIGHTED, "rounds": 4})]
    words, card = said(mean, weighted, *more), pairs_card([mean, weighted, *more])
    assert card and len(words) < 240, "two lines of a headline"
    assert len(card.label.split("; ")) == 6 and card.label.count("aggregator alone") == 2
    check(card.figure)
    found = gap(weighted, mean, [mean, weighted, *more])
    assert found.clear and f"({in_points(found.low)} to {in_points(found.high)})" in card.label
    colours = [one["font"]["color"] for one in card.figure["layout"]["annotations"]]
    assert MUTED in colours and any(one.startswith("run(") for one in colours)
    four = [mean, weighted, *more]
    one = [each.as_shown(runs=each.series.runs[:1]) for each in four]
    alone = pairs_card(one)
    assert alone and {one["font"]["color"] for one in alone.figure["layout"]["annotations"]} == {MUTED}
    assert "fewer than three seeds" in supported(*one)


def test_best_of_many_runs_is_counted_and_drawn_at_any_place(mean: ComparedRun, weighted: ComparedRun):
    several = [replace(mean.as_shown(label=letter), letter=letter) for letter in "ABCDEF"]
    many = [*several, replace(weighted.as_shown(label="G"), letter="G")]
    assert [arm.letter for arm in drawn(many)] == [*"ABCDE", "G"]
    assert "**G**" in said(*many)
    card = pairs_card(many)
    assert card and "G − A" in card.label and len(card.label.split("; ")) == DRAWN * (DRAWN - 1) / 2


def test_difference_is_equal_on_all_pages(mean: ComparedRun, weighted: ComparedRun):
    """On Train, on Compare, in its chart and in the report."""
    found = gap(weighted, mean)
    words, card = found.in_words(), pairs_card([mean, weighted])
    assert words.startswith(f"{found.each} by seed; 95")
    assert card and words in card.figure["data"][1]["text"][0]
    assert words in supported(mean, weighted)
    assert words in " ".join(standings([mean.series, weighted.series], None, None))


def test_other_seeds_are_not_paired_and_luck_is_called_so(mean: ComparedRun):
    later = arm("B", MEAN, range(7, 10))
    found = gap(later, mean)
    assert not found.gaps
    assert not found.held_out
    assert "Luck alone" in said(mean, later)
    elsewhere = arm("C", {**MEAN, "partition": {"kind": "dirichlet", "alpha": 0.5}})
    assert not gap(mean, elsewhere).gaps, "the same seed deals other data there"


def test_a_run_that_goes_on_is_waited_for(mean: ComparedRun, weighted: ComparedRun):
    going = replace(weighted, job=cast(Job, SimpleNamespace(live=True, status="running")))
    runs = tuple(replace(each, end=None) for each in weighted.series.runs)
    words = said(mean, going.as_shown(runs=runs))
    assert words.endswith("have ended: **B** is running, at round 3 of 3.")
    assert said(mean) == ""


def test_a_population_written_in_two_ways_is_one():
    first = parse({"clients": {"count": 4, "epsilon": 2.0, "range": 1.0}})
    second = parse({"clients": {"count": 4, "epsilon": [2.0] * 4, "low": -1.0, "high": 1.0}})
    assert unlike([first, second]) == []
    third = parse({"clients": {"count": 4, "epsilon": [2, 2, 2, 5]}, "mechanism": "duchi", "attack": None})
    assert [field.name for field in unlike([first, third])] == ["budgets", "mechanism", "the attack"]


def test_final_figures_are_those_of_the_ledger(mean: ComparedRun):
    found = final(mean.series.runs)
    end = mean.series.runs[0].end or {}
    assert found.epsilon == max(entry["run_worst"]["epsilon"] for entry in end["ledger"])
    assert found.accuracy == pytest.approx(sum((r.end or {})["accuracy"] for r in mean.series.runs) / 3)


def test_pareto_front_holds_undominated_runs():
    points = [
        ParetoPoint(Series(i, str(i), ()), a, e) for i, (a, e) in enumerate([(0.5, 10), (0.4, 20), (0.9, 30)])
    ]
    assert [each.one.number for each in front(points)] == [0, 2]
    equal = [
        ParetoPoint(Series(i, str(i), ()), a, e) for i, (a, e) in enumerate([(0.5, 1.4999996), (0.9, 1.5)])
    ]
    assert [each.one.number for each in front(equal)] == [1]
    check(pareto_figure(points))


def test_equal_names_are_distinguished_by_settings(mean: ComparedRun, weighted: ComparedRun):
    one, other = (arm.as_shown(label=f"{arm.letter} run") for arm in (mean, weighted))
    values = [arm.series.label for arm in named_apart([one, other])]
    assert values[0].startswith("A ") and values[1].startswith("B ")
    assert values[0][2:] != values[1][2:] != "run"
    named = [one, other.as_shown(label="B mine")]
    assert named_apart(named) == named, "what has a name of its own keeps it"
    more = replace(arm("B", {**WEIGHTED, "mechanism": "duchi"}), series=other.series)
    assert named_apart([one, more]) == [one, more], "two settings are no name"


ASKED = {
    "base": {"rounds": 2, "attack": None, "mechanism": "duchi"},
    "grid": {"clients.epsilon": [1, 8], "aggregator.name": ["mean", "data_weighted"]},
    "seeds": 2,
}


def test_two_settings_of_a_sweep_are_held_against_each_other(runs_dir: Path):
    job = queued(ASKED, "sweep")
    identity = job.id
    waiting, _ = arms([(identity, 1), (identity, 3)])
    assert take(identity)
    assert verdict(waiting, [])[0].startswith("What made the difference is known when")
    compute(job)
    assert queue.move(identity, "completed")
    assert how_many(queue.get(identity)) == 4
    found, trouble = arms([(identity, 1), (identity, 3)])
    assert trouble == []
    answer, supports = verdict(found, unlike([arm.experiment for arm in found]))
    assert "made the difference" not in answer and "differ in budgets" in supports
    assert "fewer than three seeds" in supports
    worst = accounting.ledger(found[1].experiment)[0]["run_worst"]["epsilon"]
    assert _figures(found[1])[1].startswith(at_most(worst))
    shown = [arm.series for arm in found]
    bought = [ParetoPoint(one, 0.5 + n / 4, 1.0 + n) for n, one in enumerate(shown)]
    figures = accuracy_figure(shown, 2, None), noise_figure(shown, 2, {}), pareto_figure(bought)
    for figure in figures:
        check(figure)


DRAFT = parse_draft({"rounds": 1, "attack": None})


@pytest.mark.parametrize(("viewer", "seen"), [("anna", True), ("ben", False), (None, False)])
def test_private_run_is_offered_to_its_owner_alone(
    viewer: str | None, seen: bool, runs_dir: object, monkeypatch: pytest.MonkeyPatch
):
    private = trained(DRAFT, owner="anna", room="a" * 16)
    for module in ("compare.choice", "ui.visitor"):
        monkeypatch.setattr(f"pages.parts.{module}.visitor", lambda: Person(viewer))
    monkeypatch.setattr("streamlit.query_params", {"runs": private.id})
    assert (private.id in [job.id for job in _recent()]) == seen
    assert bool(chosen()[0]) == seen, "nor is it shown by its id"
