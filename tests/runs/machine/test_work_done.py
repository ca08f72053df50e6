"""The share of many runs' work that is done, whatever each of them costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_core.experiment import parse
from ldp_core.runs.machine import work_done
from ldp_core.runs.machine.work_done import WorkDone
from ldp_core.runs.train_all import train_all
from tests.calibrated import calibrated


def test_a_run_counts_for_what_it_costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A run of ten rounds for ten times one of one, and a large model for more than a small one."""
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(calibrated(tmp_path / "runs")))
    shares = list[float]()
    few, many = (parse({"rounds": n, "attack": None}) for n in (1, 10))
    done = WorkDone([few, many], shares.append)
    done(1, False)
    done(0, False)
    done(0, True)
    done(1, True)
    assert shares == pytest.approx([1 / 11, 2 / 11, 2 / 11, 1.0])
    wide = parse({"rounds": 1, "attack": None, "model": {"name": "mlp", "hidden": 256}})
    shares.clear()
    WorkDone([few, wide], shares.append)(0, False)
    assert shares[0] < 0.4


def test_before_the_machine_is_measured_rounds_count_alike(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(work_done, "rates", lambda: None)
    shares = list[float]()
    WorkDone([parse({"rounds": 3}), parse({"rounds": 1})], shares.append)(0, False)
    assert shares == [0.25]


def test_training_tells_of_every_round_of_runs_that_are_trained_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """One that diverges is done with all its rounds."""
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(calibrated(tmp_path / "runs")))
    shares = list[float]()
    wild = {"local": {"learning_rate": 1e6}}
    made = [parse({"rounds": n, "attack": None, **more}) for n, more in ((2, {}), (3, {}), (5, wild))]
    assert len(list(train_all(made, tick=WorkDone(made, shares.append)))) == 3
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    assert {round(10 * share) for share in shares} >= {1, 10}
    assert len(set(shares)) >= 5
