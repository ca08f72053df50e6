"""Engines differ in last bits: a run has those of the one that it began with, and no others'."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ldp_core.experiment import Draft, Variant, changed, parse
from ldp_core.runs.kinds import run as module
from ldp_core.runs.lockstep import Turn, drive
from ldp_core.runs.record import run_cache
from ldp_core.runs.record.store import copied, events_after
from ldp_core.runs.train_all import ALONE, bits, bits_alone, train_all
from ldp_core.system import native_code

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("runs_dir")

EXPERIMENT = parse({"rounds": 5, "attack": None, "mechanism": "none"})
DRAFT = Draft(EXPERIMENT, (Variant("run"),))


class Killed(BaseException):
    """In the middle of a run."""


def train(folder: Path) -> tuple[str, str]:
    """The hash of its weights, and what the job says of how it ended."""
    folder.mkdir(parents=True, exist_ok=True)
    outcome = module.TrainingJob().run(module.Training(DRAFT), folder)
    return events_after(folder)[-1].body["weights_sha256"], outcome.message


def begin(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train two rounds, and be killed."""

    def killed(*given: Any) -> Iterator[Turn]:
        for done, turn in enumerate(drive(*given)):
            yield turn
            if done == 2:
                raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(module, "drive", killed)
        with pytest.raises(Killed):
            train(folder)


@pytest.fixture
def fused(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("EPSILON_ENGINE", "fused")
    return monkeypatch


def test_what_one_engine_has_trained_is_not_shown_as_anothers(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    jobs = runs_dir / "jobs"
    monkeypatch.delenv("EPSILON_ENGINE", raising=False)
    usual, _ = train(jobs / "usual")
    monkeypatch.setenv("EPSILON_ENGINE", "fused")
    assert not run_cache.has({run_cache.name_of(EXPERIMENT)})
    other, _ = train(jobs / "other")
    assert other != usual, "the last bits of five rounds"
    again, _ = train(jobs / "again")
    assert (again, copied(jobs / "again")) == (other, {0: "other"})
    monkeypatch.delenv("EPSILON_ENGINE")
    third, _ = train(jobs / "third")
    assert (third, copied(jobs / "third")) == (usual, {0: "usual"})


def test_a_run_goes_on_with_the_engine_that_it_began_with(runs_dir: Path, fused: pytest.MonkeyPatch):
    whole, _ = train(runs_dir / "jobs" / "whole")
    (runs_dir / "finished.sqlite").unlink()
    begin(runs_dir / "jobs" / "begun", fused)
    fused.delenv("EPSILON_ENGINE")
    rest, message = train(runs_dir / "jobs" / "begun")
    assert (rest, message) == (whole, "")


def test_or_says_why_not_and_is_nobody_elses_result(runs_dir: Path, fused: pytest.MonkeyPatch):
    begin(runs_dir / "jobs" / "begun", fused)
    fused.setattr(native_code, "refusal", lambda: "llvmlite is not installed")
    _, message = train(runs_dir / "jobs" / "begun")
    said = "what was begun by a fused kernel went on without (llvmlite is not installed): its last bits may"
    assert message == f"{said} differ"
    assert not run_cache.has({EXPERIMENT.key})


def test_a_run_of_pytorchs_is_not_taken_over_by_a_kernel(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("EPSILON_ENGINE", raising=False)
    whole, _ = train(runs_dir / "jobs" / "whole")
    (runs_dir / "finished.sqlite").unlink()
    begin(runs_dir / "jobs" / "begun", monkeypatch)
    monkeypatch.setenv("EPSILON_ENGINE", "fused")
    assert train(runs_dir / "jobs" / "begun") == (whole, "")
    assert not run_cache.has({run_cache.name_of(EXPERIMENT)}), "a kernel's it is not"


def test_figures_have_the_engines_name(fused: pytest.MonkeyPatch):
    assert bits(EXPERIMENT) == bits_alone(EXPERIMENT) == "fused"
    fused.setenv("EPSILON_ENGINE", "processes")
    assert bits_alone(EXPERIMENT) == f"{ALONE} processes"
    fused.delenv("EPSILON_ENGINE")
    assert bits_alone(EXPERIMENT) == ALONE
    assert bits(EXPERIMENT) == "fused", "runs that nobody watches have the quickest engine"
    with_many = changed(EXPERIMENT, {"clients.count": 400})
    assert bits(with_many) == ALONE, "one that is not folded has the engine that it has by itself"


def test_runs_that_are_folded_have_the_bits_of_each_alone(runs_dir: Path, fused: pytest.MonkeyPatch):
    alone, _ = train(runs_dir / "jobs" / "alone")
    several = [EXPERIMENT, *(parse(EXPERIMENT.as_json() | {"seed": seed}) for seed in (1, 2, 3))]
    assert dict(train_all(several))[0].weights_sha256 == alone
