"""What was computed is written by turns, taken up after a kill, and shown by each job that names it."""

import os
import random
import signal
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.jobs import submission
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.lockstep import Turn, drive
from ldp_core.runs.process.child import CONTEXT
from ldp_core.runs.record import computations, deletion, quota
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.computations import of_run
from ldp_core.runs.record.events import is_whole, news, record
from ldp_core.runs.view.run_curves import progress_of
from tests.extent import in_gate
from tests.runs.in_process import (
    bodies,
    compute,
    queued,
    record_of,
    recorder_for,
    recorder_of,
    settled,
    trained,
)

pytestmark = pytest.mark.usefixtures("no_worker")
ASKED = {"rounds": 2, "attack": None}
BOTH = (Variant("mean"), Variant("1/σ²", {"aggregator.name": "inverse_variance"}))


def draft(**changes: object) -> Draft:
    return Draft(parse(ASKED | changes), BOTH)


def press(asked: Draft, draft_id: str | None = None) -> str:
    return jobs.submit(asked, draft_id, reference=True)


def curves(identity: str) -> list[list[float]]:
    return [[*run.curves["accuracy"]] for run in progress_of(queue.get(identity)).update().runs]


@pytest.mark.usefixtures("at_work")
def test_known_run_completes_without_a_slot():
    first = trained(draft(), reference=True)
    busy = press(draft(seed=7))
    assert queue.claim(1)
    same = jobs.look(press(draft(name="again")))
    assert (same.status, same.keys, same.started) == ("completed", first.keys, None)
    assert curves(same.id) == curves(first.id)
    assert same.noted
    assert jobs.look(busy).status == "running"
    assert kinds.is_known("run", Training(draft(), True))


def test_partly_known_draft_trains_missing_runs_only():
    first = trained(draft(), reference=True)
    before = [record_of(first, run).stat().st_mtime_ns for run in range(3)]
    wider = queued(Draft(parse(ASKED), BOTH, seeds=2), reference=True)
    assert set(first.keys) < set(wider.keys)
    assert compute(wider).status == "completed"
    assert [record_of(first, run).stat().st_mtime_ns for run in range(3)] == before


def test_double_click_on_a_known_draft_is_one_job(monkeypatch: pytest.MonkeyPatch):
    """The first click's job has been completed before the second click comes."""
    trained(draft(), reference=True)
    (first,) = {press(draft(), "b" * 12) for _ in range(3)}
    assert first not in (press(draft(), "c" * 12), press(draft(seed=9), "b" * 12))
    monkeypatch.setattr(submission, "CLICK_SECONDS", 0.0)
    assert press(draft(), "b" * 12) != first


def test_repeated_job_shares_the_record_of_the_first():
    first = trained(draft(), reference=True)
    taken, figures, second = quota.taken(), curves(first.id), press(draft())
    jobs.delete(first.id, for_good=True)
    assert (quota.taken(), curves(second)) == (taken, figures)
    jobs.delete(second, for_good=True)
    assert quota.taken() == 0
    assert jobs.look(press(draft())).status == "queued"


def test_locked_run_is_requeued_until_released():
    job = queued(draft())
    with ExitStack() as held:
        for key in job.keys:
            held.enter_context(computations.hold(key) or pytest.fail("another process holds the lock"))
        assert compute(job).status == "queued", "it goes back to the queue"
        assert not any(record_of(job, run).exists() for run in range(2))
    assert compute(job).status == "completed"


def test_a_file_of_another_format_is_named_and_computed_anew():
    job = trained(draft())
    with record(job.keys[0]).writing() as db:
        db.execute("PRAGMA user_version = 2")
    before = record_of(job).read_bytes()
    with pytest.raises(StorageFailed, match=f"{job.keys[0]}.* is of format 2, and this program reads 1"):
        is_whole(job.keys[0])
    again = jobs.look(jobs.submit(draft()))
    assert again.status == "queued"
    assert compute(again).status == "completed"
    assert [file.read_bytes() for file in record_of(job).parent.glob("*.damaged")] == [before]


def _press_and_delete() -> None:
    while True:
        press(draft())
        jobs.delete(random.choice([job for job in queue.find(most=1000) if not job.live]).id, for_good=True)


def test_kill_at_any_instant_keeps_records_whole():
    """Kills of a process that launches and deletes what is known, the first one too."""
    figures = curves(trained(draft(), reference=True).id)
    for _ in range(in_gate(6, 20)):
        process = CONTEXT.Process(target=_press_and_delete)
        process.start()
        time.sleep(random.uniform(0.02, 0.25))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        deletion.sweep()
        for job in queue.find(most=1000):
            assert curves(settled(job.id).id) == figures
        settled(press(draft()))  # the last that named it may have been deleted


def test_launch_during_deletion_gets_a_whole_record():
    identity = trained(draft(), reference=True).id
    figures = curves(identity)
    for _ in range(5):
        removing = threading.Thread(target=jobs.delete, args=(identity,), kwargs={"for_good": True})
        removing.start()
        identity = press(draft())
        removing.join()
        assert curves(settled(identity).id) == figures


def test_cancelled_job_is_not_settled(monkeypatch: pytest.MonkeyPatch):
    trained(draft(), reference=True)
    job = queued(draft(), reference=True)
    kind = type(kinds.get("run"))
    outcome = kind.outcome

    def stopped(made: Any, ended: Any) -> kinds.JobEnd:
        queue.cancel(job.id)
        return outcome(made, ended)

    monkeypatch.setattr(kind, "outcome", stopped)
    assert not kinds.settle(job)
    assert queue.get(job.id).status == "cancelled"


def test_a_damaged_row_keeps_no_other_from_being_swept():
    gone, damaged = trained(draft()), queued(draft(seed=1))
    queue.update(damaged.id, keys="[", status="completed")
    file = record_of(gone)
    jobs.delete(gone.id, for_good=True)
    assert not file.exists()


THREE = Draft(parse(ASKED | {"rounds": 3}), (Variant("a"), Variant("b", {"aggregator.name": "inverse_std"})))


FIRST_KEY = of_run(THREE.base).key


def turns(run: int = 0, *starts: Any) -> list[Turn]:
    """What a run of three rounds does, turn by turn (its seconds are made equal)."""
    found = [*drive({run: THREE.runs()[run].experiment}, *starts)]
    found[-1].events[-1]["seconds"] = 0.0
    return [replace(turn, seconds=0.0) for turn in found]


def write(recorder: Recorder, turns: Iterable[Turn]) -> None:
    for turn in turns:
        recorder.write(turn)
    recorder.close()


def test_nan_is_refused_before_the_disk():
    recorder = recorder_for(THREE.base)
    with pytest.raises(ValueError, match="not JSON compliant"):
        recorder.write(Turn(0, [{"event": "round", "accuracy": float("nan")}], None, 0.0))
        recorder.flush()


@pytest.mark.parametrize("stopped_after", [1, 2, 3, 4, 5])
def test_stopped_record_resumes_at_its_last_turn(stopped_after: int):
    """Whatever turn was the last to be committed: the same events, none lost and none twice. An end that was
    not noted, by a kill between the two files, is noted by the next recorder.
    """
    whole = turns()
    assert [turn.events[-1]["event"] for turn in whole] == ["start", "round", "round", "round", "end"]
    write(recorder_for(THREE.base), whole[:stopped_after])
    again = recorder_for(THREE.base)
    start = again.start()
    assert start and start.state.round == min(stopped_after - 1, 2), "the end is of the last round's training"
    for turn in turns(0, {0: start}):
        again.write(turn)
    assert not is_whole(FIRST_KEY)
    again.end("completed", {"accuracy": 0.5})
    again.close()
    assert is_whole(FIRST_KEY)
    assert computations.ended([FIRST_KEY])[FIRST_KEY].figures == {"accuracy": 0.5}
    recorded = [event for turn in whole for event in turn.events]
    assert [(one.seq, one.body) for one in news(FIRST_KEY).events] == [*enumerate(recorded, 1)]
    assert [one.body for one in news(FIRST_KEY, 5).events] == recorded[5:]
    computations.forget([FIRST_KEY])
    assert computations.left([FIRST_KEY]) == [FIRST_KEY]
    assert recorder_for(THREE.base).has_ended()
    assert computations.ended([FIRST_KEY])[FIRST_KEY].figures == {"accuracy": 0.5}


def test_interrupted_commit_duplicates_no_event(monkeypatch: pytest.MonkeyPatch):
    first, second = turns()[:2]
    recorder = recorder_for(THREE.base)
    recorder.write(first)
    recorder.flush()
    recorder.write(second)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("ldp_core.federated.state.State.as_bytes", Mock(side_effect=KeyboardInterrupt))
        recorder.flush()
    recorder.close()
    assert len(news(FIRST_KEY).events) == len(first.events)
    assert (start := recorder_for(THREE.base).start()) and start.state.round == 0


def test_frames_within_a_round_are_recorded_once():
    """Killed as a picture formed in round 2: taken up, the same frames come again before its end."""
    before, after = turns()[:2], turns()[2:]
    frames = [
        {"event": "frame", "round": 2, "client": 1, "iterations": n, "psnr": 9.0, "image": {"data": str(n)}}
        for n in (4, 6, 9)
    ]
    way = [Turn(0, [frame], None, 0.0) for frame in frames]
    job = queued(THREE)
    write(recorder_of(job), (*before, *way[:2]))
    seen = {"psnr": 9.0, "image": {"data": "6"}, "iterations": 6}
    forming = progress_of(job).update().runs[0].forming(0)
    assert forming and seen.items() <= forming.items()
    recorder = recorder_of(job)
    state = before[-1].state
    assert state and (start := recorder.start()) and start.state.round == state.round == 1
    write(recorder, (*way, *after))
    assert bodies(job, 0) == [body for turn in (*before, *way, *after) for body in turn.events]
    assert progress_of(job).update().runs[0].forming(0) is None
