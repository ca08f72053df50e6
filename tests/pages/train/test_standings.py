"""How runs stand: an order only with an interval, divergence with its cause, one model told once."""

from typing import Any

import numpy as np
import pytest

from ldp_core.inference import margin
from ldp_core.runs.carry.html_report import verdict
from ldp_core.runs.view.final_figures import apart, final
from ldp_core.runs.view.folded import CompactSeries
from ldp_core.runs.view.run_curves import RunProgress
from pages.parts.charts.series import Series
from pages.parts.train.findings import findings
from pages.parts.train.standings import held_out, same_model, standings
from pages.parts.ui.text import number, percent
from tests.pages.charts.test_base import made

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
    assert "**mean** ends at" in close, "and what is clear is told besides"


def test_equal_runs_rank_by_chance_in_one_of_twenty():
    """Nine variants, three seeds: whoever picks the best among them must not be told that it is ahead.

    400 draws; the limit is four standard deviations above 5 %: a right program fails once in 30 000 times.
    """
    drawn = np.random.default_rng(7).normal(0.7, 0.03, (400, 9, 3))
    ahead = 0
    for accuracies in drawn:
        shown = [made_up(n, values) for n, values in enumerate(accuracies)]
        ahead += " reaches " in " ".join(standings(shown, None, 0.1))
    assert ahead <= 20 + 4 * 4.4


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


def test_one_seed_cannot_tell(ahead: list[Series]):
    single = [Series(one.number, one.label, one.runs[:1]) for one in ahead[:2]]
    words = " ".join(standings(single, None, 0.1))
    assert "one seed only" in words and " reaches " not in words


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
    assert "ends at" not in findings([gone], clean, 0.1)


def test_mean_of_the_seeds_that_did_not_diverge_is_no_accuracy():
    """Of a run that diverges with one of two seeds; Train ranks no such run either."""
    some, whole = made_up(0, [0.1, 0.9]).runs, made_up(1, [0.5, 0.5]).runs
    for run in (*some, *whole):
        status = "diverged" if run is some[0] else "completed"
        run.end = {"status": status, "accuracy": run.curves["accuracy"][-1]}
    assert final(some).accuracy is None and final(whole).accuracy == 0.5
    said = verdict({0: some, 1: whole})
    assert "v1 ends at 50" in said and "90" not in said and "Diverged: v0" in said


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
    assert "same model" in verdict({one.number: one.runs for one in shown})
