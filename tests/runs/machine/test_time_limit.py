"""What would take too long is refused before it begins, with the estimate; the operator sets the limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_core.errors import InvalidExperiment, InvalidInput
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.kinds.run import Training
from ldp_core.settings.table import MOST_HOURS
from tests.calibrated import calibrated

LONG = {
    "dataset": "mnist",
    "model": {"name": "cnn"},
    "clients": {"count": 1000},
    "local": {"epochs": 100},
    "rounds": 10_000,
    "attack": None,
}


def training(changes: dict[str, object]) -> Training:
    return Training(Draft(parse(changes), (Variant("run"),)))


def test_a_job_of_months_is_refused_with_the_estimate(runs_dir: Path):
    calibrated(runs_dir)
    with pytest.raises(
        InvalidExperiment, match=r"rounds would take about [\d,.]+ days on this server, and one"
    ):
        jobs.submit(training(LONG).draft)
    assert queue.find() == []
    jobs.refuse_too_much("run", training({}))


def test_the_operator_says_how_long(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    calibrated(runs_dir)
    monkeypatch.setenv("EPSILON_MOST_HOURS", "0.00001")
    with pytest.raises(InvalidExperiment, match=r"one job may take 0\.036 seconds; try fewer rounds"):
        jobs.refuse_too_much("run", training({}))
    monkeypatch.setenv("EPSILON_MOST_HOURS", "1e6")
    jobs.refuse_too_much("run", training(LONG | {"rounds": 100}))
    monkeypatch.setenv("EPSILON_MOST_HOURS", "for ever")
    with pytest.raises(InvalidInput, match=r"^EPSILON_MOST_HOURS must be a number from 1e-06 to 1e"):
        MOST_HOURS.value()


def test_on_a_machine_that_was_not_measured_years_are_refused_all_the_same(runs_dir: Path):
    with pytest.raises(InvalidExperiment, match="would take about"):
        jobs.refuse_too_much("run", training(LONG))
    jobs.refuse_too_much("run", training({"rounds": 200}))
