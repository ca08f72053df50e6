"""What one job trains, and what it takes from others, in this very process."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.lockstep import drive
from ldp_core.runs.process import training
from ldp_core.runs.record import run_cache
from ldp_core.runs.record.store import Recorder, copied, events_after
from ldp_core.system import memory

DRAFT = Draft(parse({"rounds": 3}), (Variant("run"),))


@pytest.fixture
def jobs_dir(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return runs_dir / "jobs"


def train(folder: Path) -> str:
    return training.train_job(folder, {"draft": DRAFT.as_json()}, 10**9).status


def bodies(folder: Path) -> list[dict[str, object]]:
    return [{k: v for k, v in event.body.items() if k != "seconds"} for event in events_after(folder)]


def begun(folder: Path, turns: int, seed: int = 0) -> None:
    recorder = Recorder(folder, DRAFT.runs())
    for _, turn in zip(range(turns), drive({0: parse({"rounds": 3, "seed": seed})}), strict=False):
        recorder.write(turn)
    recorder.close()


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_of_a_run_that_was_begun_only_the_rest_is_taken_over(jobs_dir: Path, turns: int):
    assert train(jobs_dir / "first") == "completed"
    begun(jobs_dir / "second", turns)
    assert train(jobs_dir / "second") == "completed"
    assert copied(jobs_dir / "second") == {0: "first"}
    assert bodies(jobs_dir / "second") == bodies(jobs_dir / "first")


def test_what_began_otherwise_is_not_mixed_with_what_another_job_has_trained(jobs_dir: Path):
    assert train(jobs_dir / "first") == "completed"
    begun(jobs_dir / "second", 2, seed=1)
    assert train(jobs_dir / "second") == "completed"
    assert copied(jobs_dir / "second") == {}


def test_a_run_is_one_process_s_until_that_leaves_or_dies(jobs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    assert run_cache.begin({"a", "b"}, "first") == {}
    assert run_cache.begin({"a"}, "first") == {}, "asking again changes nothing"
    with monkeypatch.context() as patch:
        patch.setattr(run_cache, "identity", lambda: (1, 0.0))
        assert run_cache.begin({"a", "c"}, "second") == {"a": "first"}
    assert run_cache.begin({"c"}, "first") == {}, "who held it is dead: no process 1 began then"
    run_cache.leave()
    with monkeypatch.context() as patch:
        patch.setattr(run_cache, "identity", lambda: (1, 0.0))
        assert run_cache.begin({"a", "b", "c"}, "second") == {}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), True),
        (type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory"), True),
        (RuntimeError("shapes do not match"), False),
        (OSError(28, "No space left on device"), False),
    ],
)
def test_running_out_of_memory_is_known_by_any_name(error: Exception, expected: bool):
    assert memory.ran_out(error) is expected
    assert ("ran out of memory" in training._in_words(error, "run", {}, 10**9)) is expected
