"""What has been trained before is shown at once: it takes no slot, and waits for nobody."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import lookup, submission
from ldp_core.runs.process import training
from ldp_core.runs.record import quota, reuse, run_cache
from ldp_core.runs.record.store import copied
from ldp_core.runs.view.run_progress import Progress

ASKED = {"rounds": 2}
BOTH = (Variant("mean"), Variant("1/σ²", {"aggregator.name": "inverse_variance"}))


def draft(**changes: object) -> Draft:
    return Draft(parse(ASKED | changes), BOTH)


def train(asked: Draft) -> str:
    """A job, trained in this process."""
    identity = queue.add("run", {"draft": asked.as_json(), "reference": True})
    job = queue.claim()
    assert job is not None
    assert queue.move(identity, training.train_job(job.folder, job.request, 10**9).status)
    return identity


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A finished job, and its folder of runs, of which each test has a copy."""
    folder = tmp_path_factory.mktemp("once") / "runs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(folder))
        return train(draft()), folder


@pytest.fixture
def first(once: tuple[str, Path], runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """That job; and nobody would train another one."""
    monkeypatch.setattr(lookup, "ensure_worker", lambda _: None)
    shutil.copytree(once[1], runs_dir)
    return once[0]


def curves(identity: str) -> list[list[float]]:
    return [[*run.curves["accuracy"]] for run in Progress(queue.get(identity).folder).update().runs]


def test_what_is_known_is_shown_though_somebody_has_the_only_slot(first: str):
    busy = jobs.submit(draft(seed=7), reference=True)
    assert queue.claim(1)
    same = jobs.look(jobs.submit(draft(name="again"), reference=True))
    assert same.status == "completed"
    assert copied(same.folder) == {0: first, 1: first, 2: first}
    assert curves(same.id) == curves(first)
    assert jobs.look(busy).status == "running"
    assert same.started is None, "nobody has had a turn"


def test_what_is_not_all_known_waits_for_its_turn(first: str):
    for other in (draft(seed=1), Draft(parse(ASKED), BOTH, seeds=2)):
        assert jobs.look(jobs.submit(other, reference=True)).status == "queued"


def test_what_cannot_be_read_is_trained_again(first: str):
    (queue.get(first).folder / "events.sqlite").write_bytes(b"garbage" * 1000)
    job = jobs.look(jobs.submit(draft(), reference=True))
    assert (job.status, job.message) == ("queued", "")
    assert run_cache.has({run.experiment.key for run in draft().runs(True)})
    assert queue.claim()
    training.train_job(job.folder, job.request, 10**9)
    assert copied(job.folder) == {}
    assert len(curves(job.id)) == 3


def test_a_click_on_what_waits_already_does_not_complete_that_by_what_is_asked_now(first: str):
    """One live job a draft: the second launch gets the first one, which has asked for something else."""
    waits = jobs.submit(draft(seed=3), "a" * 12, reference=True)
    assert jobs.submit(draft(), "a" * 12, reference=True) == waits
    assert jobs.look(waits).status == "queued"


def test_a_double_click_on_what_is_known_is_one_job(first: str, monkeypatch: pytest.MonkeyPatch):
    """The first click's job has been completed before the second click comes."""
    ids = {jobs.submit(draft(), "b" * 12, reference=True) for _ in range(3)}
    assert len(ids) == 1
    assert jobs.submit(draft(), "c" * 12, reference=True) not in ids
    assert jobs.submit(draft(seed=9), "b" * 12, reference=True) not in ids
    monkeypatch.setattr(submission, "CLICK_SECONDS", 0.0)
    assert jobs.submit(draft(), "c" * 12, reference=True) not in ids


def test_what_was_stopped_meanwhile_stays_stopped(first: str, monkeypatch: pytest.MonkeyPatch):
    identity = queue.add("run", {"draft": draft().as_json(), "reference": True})

    def stopped(*_: object) -> dict[int, object]:
        queue.cancel(identity)
        return {0: None}

    monkeypatch.setattr(reuse, "take_over", stopped)
    assert not reuse.complete(identity)
    assert queue.get(identity).status == "cancelled"


def test_what_has_become_of_it_is_noted_though_the_queue_is_locked_for_a_while(
    first: str, monkeypatch: pytest.MonkeyPatch
):
    move, failures = queue.move, iter(range(2))

    def sometimes(*given: Any) -> bool:
        if next(failures, None) is not None:
            raise StorageFailed("studio.sqlite is kept locked by another program")
        return move(*given)

    monkeypatch.setattr(queue, "move", sometimes)
    assert jobs.look(jobs.submit(draft(), reference=True)).status == "completed"


def test_no_room_for_others_is_no_reason_to_refuse_what_is_done(first: str, monkeypatch: pytest.MonkeyPatch):
    def cannot() -> None:
        raise StorageFailed("nothing can be removed")

    monkeypatch.setattr(quota, "prune", cannot)
    assert jobs.look(jobs.submit(draft(), reference=True)).status == "completed"
