"""How runs stand: an order only with an interval, divergence with its cause, one model told once."""

from typing import Any

import pytest

from ldp_core.inference import margin
from ldp_core.presets import questions
from ldp_core.presets.questions import NO, YES, NumberQuestion, OptionQuestion
from ldp_core.runs.view.final_figures import apart, final
from ldp_core.runs.view.folded import CompactSeries
from ldp_core.runs.view.run_curves import RunProgress
from pages.parts.charts.series import Series
from pages.parts.train.guess_words import reply, scale
from pages.parts.train.standings import blame, held_out, same_model, standings
from pages.parts.ui.text import number, percent
from pages.parts.watch.headline import head
from tests.pages.charts.test_base import made
from tests.pages.watch.test_headline import DRAFT, said

SMALL: dict[str, Any] = {"rounds": 3, "attack": None}


@pytest.fixture(scope="module")
def ahead() -> list[Series]:
    """The default's mean and 1/σ²."""
    return [
        made(0, "mean", SMALL | {"aggregator": "mean"}, range(3)),
        made(1, "1/σ²", SMALL | {"aggregator": "inverse_variance"}, range(3)),
        made(2, "like 1/σ²", SMALL | {"aggregator": {"name": "inverse_variance", "between": 1e-4}}, range(3)),
    ]


def test_leading_run_is_stated_with_its_interval(ahead: list[Series]):
    gap = apart(ahead[1].runs, ahead[0].runs)
    assert (gap.seeds, gap.held_out) == (3, 360)
    assert gap.clear
    assert held_out(ahead[0]) == 360
    words = " ".join(standings(ahead[:2], None, 0.1))
    assert f"**mean** {percent(ahead[0].final('accuracy').mean())} ({gap.each} by seed; 95" in words
    close = " ".join(standings(ahead, None, 0.1))
    assert "cannot tell" in close or "no difference" in close


def made_up(number: int, accuracies: Any) -> Series:
    """A run that ended at these accuracies, seed by seed."""
    runs = []
    for seed, accuracy in enumerate(accuracies):
        one = RunProgress(number, f"v{number}", seed, "{}")
        one.end = {"weights_sha256": f"{number}", "status": "completed"}
        one.curves = {"accuracy": CompactSeries()}
        for value in (0.1, float(accuracy)):
            one.curves["accuracy"].append(value)
        runs.append(one)
    return Series(number, f"v{number}", tuple(runs))


def test_noise_that_drives_a_run_out_is_named(ahead: list[Series]):
    clean = made(-1, "no noise", SMALL | {"mechanism": "none"})
    (lost,) = made(3, "lost", SMALL).runs
    lost.end = {**(lost.end or {}), "status": "diverged", "round": 2, "accuracy": 0.1}
    gone = Series(3, "lost", (lost,))
    reaches = 100 * clean.final("accuracy").mean()
    words = standings([gone, ahead[1]], clean, 0.1)[0]
    assert f"{reaches:.0f}" in words
    other = made(-1, "no noise", SMALL | {"mechanism": "none", "clients": {"count": 5}})
    words = standings([gone, ahead[1]], other, 0.1)[0]
    assert words == "**lost** diverged in round 3.", "fewer clients hold more images each: another training"


def test_mean_of_the_seeds_that_did_not_diverge_is_no_accuracy():
    """Of a run that diverges with one of two seeds; Train ranks no such run either."""
    some, whole = made_up(0, [0.1, 0.9]).runs, made_up(1, [0.5, 0.5]).runs
    for run in (*some, *whole):
        status = "diverged" if run is some[0] else "completed"
        run.end = {"status": status, "accuracy": run.curves["accuracy"][-1]}
    assert final(some).accuracy is None and final(whole).accuracy == 0.5


def test_sampling_error_spans_all_figures_and_data_sets():
    """An accuracy of 98 % is less unsure than one of 50 %, and 10 000 samples tell more than 360."""
    near, half = made_up(0, [0.98]), made_up(1, [0.5])
    small, large = 100 * margin(0.98, 10_000), 100 * margin(0.5, 360)
    near.runs[0].end, half.runs[0].end = ({"status": "completed", "held_out": n} for n in (10_000, 360))
    words = " ".join(standings([near, half], None, 0.1))
    assert f"±{number(small, 2)} to {number(large, 2)} points" in words and "360 to 10" in words


def test_runs_with_equal_models_are_recognised():
    base: dict[str, Any] = {"rounds": 1, "clients": {"count": 20, "epsilon": 2, "range": 0.2}}
    shown = [
        made(i, label, base | {"attack": {"rounds_observed": times}})
        for i, (label, times) in enumerate((("once", 1), ("often", 30)))
    ]
    assert same_model(shown)


def series(place: int, label: str, changes: dict[str, Any], lost: bool = False) -> Series:
    found = made(place, label, {"rounds": 3, "attack": None} | changes)
    if lost:
        end = {"status": "diverged", "round": 1, "message": "the weights reached 1e+9; too much"}
        found.runs[0].end = {**(found.runs[0].end or {}), **end}
    return found


CLEAN = {"mechanism": "none"}


def test_noise_is_blamed_where_the_twin_learns():
    lost, twin = series(0, "mean", {}, lost=True), series(-1, "no noise", CLEAN)
    found = blame(lost, [lost, twin])
    assert found and found.cause == "noise"
    assert percent(twin.final("accuracy").mean()) in found.why
    line = head(DRAFT, [lost], 0.1, "audit", "completed", "nothing", twin)["line"]
    assert said(line) == "mean diverged: it was the noise"


WIDE = {"clients": {"range": 20}}
UNLIKE = {"clients": {"range": [10.0] * 10 + [30.0] * 10}}


@pytest.mark.parametrize(
    ("own", "twin", "diverges", "cause", "why"),
    [
        (WIDE, CLEAN | WIDE, False, "range", "±20"),
        (UNLIKE, CLEAN | UNLIKE, False, "range", "±10 to 30"),
        ({}, CLEAN, True, "rate", "0.5"),
        (CLEAN, CLEAN, True, "rate", "0.5"),
    ],
)
def test_a_far_too_wide_range_or_the_rate_is_blamed(
    own: dict[str, Any], twin: dict[str, Any], diverges: bool, cause: str, why: str
):
    lost = series(0, "mean", own, lost=True)
    found = blame(lost, [lost, series(-1, "no noise", twin, lost=diverges)])
    assert found and found.cause == cause and why in found.why


def test_missing_or_unlike_twin_gives_no_cause():
    lost = series(0, "mean", {}, lost=True)
    other = series(-1, "no noise", CLEAN | {"local": {"learning_rate": 0.1}})
    assert blame(lost, [lost]) is blame(lost, [lost, other]) is None


SHARE = NumberQuestion("How accurate?", ("a",), questions.accuracy, "Because.")
IMAGES = NumberQuestion("How many?", ("a",), questions.images_back, "Because.", most=20, unit="")
EITHER = OptionQuestion("Will it?", ("a",), (YES, NO), lambda a: YES, "Because.")


@pytest.mark.parametrize(
    ("asked", "guess", "answers", "kind"),
    [
        (SHARE, 22, (19.0, 21.0), "right"),
        (SHARE, 30, (19.0, 21.0), "close"),
        (SHARE, 60, (12.0, 27.0), "other"),
        (SHARE, None, (20.0, 20.0), ""),
        (EITHER, YES, (YES,) * 3, "right"),
        (EITHER, YES, (NO,), "other"),
        (EITHER, YES, (NO, YES, NO), "split"),
    ],
)
def test_reply_is_of_its_kind(
    asked: NumberQuestion | OptionQuestion, guess: object, answers: tuple[str | float, ...], kind: str
):
    found = reply(asked, guess, answers)  # type: ignore[arg-type]
    assert found.kind == kind and ("disagree" in found.words) == (len({*answers}) > 1 and answers[0] != 19)


def test_the_truth_stands_over_the_guess_on_one_line():
    drawn = scale(SHARE, 60, (10.0, 30.0))
    assert (drawn["guess"], drawn["truth"], drawn["low"], drawn["high"]) == (0.6, 0.2, 0.1, 0.3)
    assert scale(SHARE, 60)["truth"] is None
    shown = scale(IMAGES, None, (12.0,))
    assert (shown["ends"], shown["guess"], shown["truth"]) == (["0", "20"], None, 0.6)
    assert scale(EITHER, YES, (NO,)) == {}
