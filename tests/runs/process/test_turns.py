"""Who makes room: only a job that the next claim would not take again."""

import math
import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from ldp_core.runs import queue
from ldp_core.runs.process import turns
from ldp_core.runs.queue.job import ASIDE, Job

pytestmark = pytest.mark.usefixtures("no_worker")


class Running:
    """Stands for a job's process that has worked for a while."""

    def __init__(self, job: Job, worked: float = 100.0, began: float = 1.0) -> None:
        self.job, self.makes_room = job, False
        self.working = time.monotonic() - worked
        self.began = self.working - began

    def has_worked(self, now: float) -> bool:
        return math.isfinite(self.working)

    def make_room(self) -> None:
        self.makes_room = True


@pytest.fixture(autouse=True)
def _one_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPSILON_SLOTS", "1")
    monkeypatch.setattr(turns, "LOOK_SECONDS", 0.0)


def put_aside(running: Running) -> bool:
    every: Any = [running]
    turns.make_room(every, lambda job: job.id != running.job.id)
    return running.makes_room


def planned(monkeypatch: pytest.MonkeyPatch, seconds: Mapping[str, float]) -> None:
    monkeypatch.setattr(turns, "rates", lambda: "some rates")
    monkeypatch.setattr(turns, "planned", lambda job, known: seconds.get(job.id))


@pytest.mark.parametrize("owners", [(None, None), ("anna", "anna"), ("anna", "ben")], ids=str)
@pytest.mark.parametrize("seconds", [(100.0, 80.0), (80.0, 100.0), (math.nan, math.nan)], ids=str)
def test_job_that_made_room_is_not_claimed_next(
    owners: tuple[str | None, str | None], seconds: tuple[float, float], monkeypatch: pytest.MonkeyPatch
):
    ids = [queue.add("run", {}, owner=owner) for owner in owners]
    if not math.isnan(seconds[0]):
        planned(monkeypatch, dict(zip(ids, seconds, strict=True)))
    for _ in range(8):
        job = queue.claim(1, left=turns.left)
        assert job
        if not put_aside(Running(job)):
            return
        assert queue.move(job.id, "queued", ASIDE)
        following = next(queue.in_turn(left=turns.left))
        assert following.id != job.id


def test_new_persons_job_comes_before_a_slice_is_over(monkeypatch: pytest.MonkeyPatch):
    queue.add("run", {}, owner="anna")
    job = queue.claim(1)
    assert job and not put_aside(Running(job, worked=0.1)), "the queue is empty"
    queue.add("run", {}, owner="ben")
    assert not put_aside(SimpleNamespace(**vars(Running(job)), has_worked=lambda now: False))  # type: ignore[arg-type]
    assert put_aside(Running(job, worked=0.1))


def test_slice_is_nine_times_what_it_cost_to_begin(monkeypatch: pytest.MonkeyPatch):
    ids = [queue.add("run", {}, owner=owner) for owner in ("anna", "ben")]
    planned(monkeypatch, dict.fromkeys(ids, 100.0))
    first, second = (queue.claim(2, left=turns.left) for _ in ids)
    assert first and second and queue.move(first.id, "queued", ASIDE)
    assert not put_aside(Running(second, worked=30.0, began=4.0))
    assert put_aside(Running(second, worked=37.0, began=4.0))
