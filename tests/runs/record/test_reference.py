"""What was trained before is shown by reference: it takes no place, and outlives the job that trained it."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ldp_core.behaviour import version
from ldp_core.errors import NotNow, StorageFailed
from ldp_core.experiment import Draft, parse
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.process import training
from ldp_core.runs.process.watching import CONTEXT
from ldp_core.runs.record import quota, reference, removal, reuse, run_cache
from ldp_core.runs.record.store import Recorder, copied, database, events_after, glance
from tests.extent import in_gate
from tests.runs.record.test_reuse import BOTH, curves, draft, first, once, train

__all__ = ["first", "once"]


def again(**changes: object) -> str:
    return jobs.submit(draft(**changes), reference=True)


def stored(identity: str) -> list[Path]:
    return [*queue.get(identity).folder.glob(f"*{reference.ENDING}")]


def told(identity: str) -> list[tuple[int, dict[str, Any]]]:
    """The events of each run in their order, a run after the other."""
    events = [(one.run, one.body) for one in events_after(queue.get(identity).folder)]
    return sorted(events, key=lambda one: one[0])


def finish(identity: str) -> None:
    """Train what waits, in this process."""
    job = queue.claim()
    assert job is not None
    assert job.id == identity
    training.train_job(job.folder, job.request, 10**9)
    assert queue.move(identity, "completed")


def test_it_is_the_same_file_and_takes_no_place(first: str):
    before, events = quota.taken(), told(first)
    second = again()
    (link,) = stored(second)
    assert link.samefile(database(queue.get(first).folder))
    assert told(second) == events
    assert quota.taken() == before
    assert {one.job.id: one.size for one in quota.kept()} == {first: before, second: 0}
    assert glance(queue.get(second).folder)
    assert jobs.export(second, queue.get(second).folder / "out.zip") == len(events)


def test_it_outlives_the_first_and_is_never_trained_again_while_anybody_has_it(first: str):
    figures, events = curves(first), told(first)
    second = again()
    jobs.remove(first)
    assert told(second) == events
    assert quota.taken() > 10_000, "whoever is left bears the weight"
    third = again()
    assert copied(queue.get(third).folder) == {0: first, 1: first, 2: first}
    jobs.remove(second)
    assert told(third) == events
    last = again()
    assert (jobs.look(last).status, curves(last)) == ("completed", figures)
    for identity in (third, last):
        jobs.remove(identity)
    assert not run_cache.has({run.experiment.key for run in draft().runs(True)})
    assert jobs.look(again()).status == "queued"


def test_what_it_came_to_is_known_to_the_list_without_reading_it_again(first: str):
    queue.note_figures(first, kinds.get("run").figures(queue.get(first).folder))
    same, less = again(), jobs.submit(Draft(parse({"rounds": 2}), BOTH[:1]))
    assert queue.get(same).noted == queue.get(first).noted
    assert [one["label"] for one in json.loads(queue.get(less).noted or "")] == ["mean"]


def test_pressing_again_and_again_removes_nobody_elses(first: str, monkeypatch: pytest.MonkeyPatch):
    other = train(draft(seed=5))
    monkeypatch.setenv("EPSILON_QUOTA_GB", str((quota.taken() + 1000) / 1e9))
    ids = [again() for _ in range(12)]
    assert {one.job.id for one in quota.kept()} == {first, other, *ids}
    monkeypatch.setattr(quota, "BESIDE", sum(one.beside for one in quota.kept()) // 2)
    gone = [one.job.id for one in quota.prune()]
    assert gone == ids[: len(gone)], "so many references are too many: the oldest of them go"
    assert 0 < len(gone) < 12
    assert quota.prune(0)
    assert quota.kept() == []


def test_what_others_refer_to_goes_when_they_go(first: str):
    other = train(draft(seed=5))
    second = again()
    sizes = {one.job.id: one.size for one in quota.kept()}
    assert [one.job.id for one in quota.prune(sizes[first])] == [other], "the first was shown just now"
    quota.pin(second)
    assert [one.job.id for one in quota.prune(sizes[first])] == []
    quota.pin(second, on=False)
    assert {one.job.id for one in quota.prune(0)} == {first, second}


def test_pins_count_a_file_once(first: str):
    second = again()
    size = quota.taken()
    quota.pin(first, most=size + 2000)
    quota.pin(second, most=size + 2000)
    assert all(one.job.pinned for one in quota.kept())
    other = train(draft(seed=5))
    with pytest.raises(NotNow, match="unpin one of yours"):
        quota.pin(other, most=size + 2000)


def test_without_hard_links_it_is_a_copy(first: str, monkeypatch: pytest.MonkeyPatch):
    def cannot(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", cannot)
    second = again()
    assert stored(second) == []
    assert told(second) == told(first)
    jobs.remove(first)
    third = again()
    assert copied(queue.get(third).folder) == {0: first, 1: first, 2: first}
    assert curves(third) == curves(second)


def test_what_may_still_go_on_is_copied(first: str, monkeypatch: pytest.MonkeyPatch):
    """Its database may be written to once more."""
    monkeypatch.setattr(reuse, "FINAL", ())
    second = again()
    assert stored(second) == []
    monkeypatch.undo()


def test_a_copy_of_before_is_read_and_referred_to(first: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reuse, "FINAL", ())
    with monkeypatch.context() as patch:
        patch.setattr(reuse, "FINAL", ())
        second = again()
    jobs.remove(first)
    monkeypatch.setattr(reuse, "FINAL", ("completed",))
    third = again()
    (link,) = stored(third)
    assert link.samefile(database(queue.get(second).folder))
    assert told(third) == told(second)


def test_the_rest_of_a_run_is_referred_to(first: str):
    """It was begun here, and stopped; meanwhile somebody else has finished it."""
    runs = draft().runs(True)
    identity = queue.add("run", {"draft": draft().as_json(), "reference": True})
    recorder = Recorder(queue.get(identity).folder, runs)
    whole = [body for run, body in told(first) if run == 1]
    recorder.copy(1, whole[:2], first)
    recorder.begun_by(version())
    assert reuse.take_over({1: runs[1]}, recorder) == {}
    assert recorder.told(1) == whole
    assert recorder.ended() == {1}
    recorder.close()


@pytest.mark.parametrize("how", ["gone", "garbage"])
def test_a_reference_to_nothing_is_named_and_never_shown(first: str, how: str):
    second = again()
    (link,) = stored(second)
    if how == "gone":
        link.unlink()
        with pytest.raises(StorageFailed, match="damaged: its record cannot be read"):
            glance(queue.get(second).folder)
    else:
        link.write_bytes(b"garbage" * 1000)  # the first one's too: they are one file
    with pytest.raises(StorageFailed):
        told(second)
    job = jobs.status(second)
    assert (job["status"], job["round"]) == ("completed", 0)
    assert "events.sqlite" in job["message"] or reference.ENDING in job["message"]
    assert jobs.look(again()).status == ("completed" if how == "gone" else "queued")


def test_an_event_that_leads_out_of_the_folder_opens_nothing(first: str, tmp_path: Path):
    second = queue.get(again())
    for name in ("../../x", "/etc/passwd", "", "a/b", ".", 7, None):
        recorder = Recorder(second.folder, [])
        recorder.copy(0, [{"event": reference.EVENT, "file": name, "run": 0}], "x")
        recorder.close()
        with pytest.raises(StorageFailed, match="damaged"):
            events_after(second.folder)


def _press() -> None:
    """Until somebody kills this process."""
    while True:
        again()
        jobs.remove(random.choice([job for job in queue.find(most=1000) if not job.live]).id)


def test_killed_at_any_instant_nothing_is_lost_and_nothing_is_half_there(first: str):
    """Kills of a process that makes and deletes references, the first one too."""
    figures = told(first)
    for _ in range(in_gate(6, 12)):
        process = CONTEXT.Process(target=_press)
        process.start()
        time.sleep(random.uniform(0.02, 0.25))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        queue.reap()
        removal.sweep()
        for job in queue.find(most=1000):
            if job.status == "interrupted":
                assert queue.requeue(job.id)
            if queue.status(job.id) == "queued" and not reuse.complete(job.id):
                finish(job.id)
            assert told(job.id) == figures
        assert jobs.look(again()).status == "completed", "somebody has it, so it is known"


def test_what_goes_after_it_was_found_is_trained_again(first: str, monkeypatch: pytest.MonkeyPatch):
    figures, note = told(first), run_cache.note

    def note_late(*args: Any) -> None:
        note(*args)
        jobs.remove(first)

    with monkeypatch.context() as patch:
        patch.setattr(run_cache, "note", note_late)
        new = again()
    assert jobs.look(new).status == "queued"
    finish(new)
    assert [body.get("accuracy") for _, body in told(new)] == [body.get("accuracy") for _, body in figures]


def test_who_refers_to_what_somebody_deletes_at_this_moment_has_it_whole_or_not_at_all(first: str):
    figures = told(first)
    for old in [first, *("" for _ in range(4))]:
        old = old or again()
        others = [job.id for job in queue.find(most=1000) if job.id != old]
        for identity in others:
            jobs.remove(identity)
        removing = threading.Thread(target=jobs.remove, args=(old,))
        removing.start()
        new = again()
        removing.join()
        if jobs.look(new).status == "queued":
            finish(new)
        assert [body.get("accuracy") for _, body in told(new)] == [
            body.get("accuracy") for _, body in figures
        ]
