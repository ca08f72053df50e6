"""Whoever launched a job may stop it, a teacher may stop all, and people take turns."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from ldp_core.errors import NotNow, NotYours, QueueFull
from ldp_core.runs import jobs, queue
from ldp_core.runs.queue import changes
from ldp_core.runs.queue.claiming import APART_SECONDS, COMPARED, STARVED_SECONDS
from ldp_core.runs.queue.job import ASIDE, Job
from ldp_core.runs.queue.permissions import OPERATOR, Person, address, is_teacher, person, signed_in
from tests.runs.record.test_deletion import record

pytestmark = pytest.mark.usefixtures("no_worker")

ANNA, BEN = person("a" * 32), person("b" * 32)


def test_person_digest_is_unique_and_one_way():
    here = "https://id.example"
    given = ((here, "1"), (here, "2"), ("https://other.example", "1"), (f"{here}/1", ""))
    known = [signed_in(*one) for one in given] + [person(f"{here}/1"), ANNA, BEN]
    assert len({one.owner for one in known}) == len(known)
    assert (signed_in(here, "1"), person("a" * 32)) == (known[0], ANNA)
    assert not any("example" in str(one.owner) or "aaaa" in str(one.owner) for one in known)


ACTS: dict[str, Callable[[str, Person], object]] = {
    "stop it": jobs.cancel,
    "take it up": jobs.resume,
    "pin it": jobs.pin,
    "name it": lambda identity, who: jobs.relabel(identity, "mine", "", who),
    "delete it": jobs.delete,
}


@pytest.mark.parametrize("what", ACTS)
def test_owner_or_teacher_may_act_on_a_job(what: str):
    act, teacher = ACTS[what], Person("c", teacher=True)

    def made(owner: str | None) -> str:
        identity = queue.add("run", {"draft": {"base": {}}}, owner=owner)
        if what != "stop it":
            queue.cancel(identity)
        return identity

    with pytest.raises(NotYours, match="only the person who launched this job can"):
        act(made(ANNA.owner), BEN)
    everybodys = what in ("stop it", "take it up")
    with nullcontext() if everybodys else pytest.raises(NotYours):
        act(made(None), BEN)
    for owner, who in ((ANNA.owner, ANNA), (ANNA.owner, teacher), (None, teacher), (BEN.owner, OPERATOR)):
        act(made(owner), who)


@pytest.mark.parametrize("for_good", [True, False])
def test_queued_or_pinned_job_is_not_deleted(for_good: bool, runs_dir: Path):
    identity = queue.add("run", {}, owner=ANNA.owner)
    with pytest.raises(NotNow, match="is queued; stop it before"):
        jobs.delete(identity, ANNA, for_good)
    queue.cancel(identity)
    queue.get(identity).folder.mkdir(parents=True)
    jobs.pin(identity, ANNA)
    with pytest.raises(NotNow, match="is pinned"):
        jobs.delete(identity, ANNA, for_good)
    jobs.pin(identity, ANNA, on=False)
    jobs.delete(identity, ANNA, for_good)
    assert queue.find() == []
    assert (runs_dir / "jobs" / identity).exists() is not for_good


def test_addresses_take_turns_and_so_do_people_behind_one():
    """A new cookie for every job is a new person for every job, and gets no more of the server for it."""
    crowd = [queue.add("run", {}, owner=person(f"{n:032x}").owner, address="there") for n in range(4)]
    anna = queue.add("run", {}, owner=ANNA.owner, address="class")
    ben = [queue.add("run", {}, owner=BEN.owner, address="class") for _ in range(2)]
    alone = queue.add("run", {}, owner=None)
    expected = [crowd[0], anna, alone, crowd[1], ben[0], crowd[2], ben[1], crowd[3]]
    assert [job.id for job in queue.in_turn()] == expected
    assert [queue.places()[i] for i in expected] == list(range(8))
    claimed = []
    while job := queue.claim():
        claimed.append(job.id)
        assert queue.move(job.id, "completed")
    assert claimed == expected


def test_job_that_never_began_comes_before_those_put_aside(monkeypatch: pytest.MonkeyPatch):
    """And the shorter of one person's; but one that has waited long comes first, and then begins anew."""
    long, short = (queue.add("run", {}, owner=ANNA.owner) for _ in range(2))
    assert queue.claim() and queue.move(long, "queued", ASIDE)
    new, _ = (queue.add("run", {}, owner=BEN.owner) for _ in range(2))
    seconds = {long: 9.0, short: 1.0}

    def order() -> list[str]:
        return [job.id for job in queue.in_turn(left=lambda job: seconds.get(job.id, 2.0))]

    assert order()[0] == new
    assert order().index(short) < order().index(long)
    now = time.time() + STARVED_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: now)
    assert order()[0] == long
    claimed = queue.claim()
    assert claimed and (claimed.id, queue.get(long).message) == (long, "")
    assert queue.move(long, "queued", ASIDE)
    assert order()[0] == new and order()[-1] == long


def test_claim_in_a_long_queue_estimates_only_one_persons_jobs():
    """A hundred jobs of new cookies would take the worker seconds, in which no job begins."""
    ids = [queue.add("run", {}, owner=person(f"{n % 25:032x}").owner, address="class") for n in range(100)]
    asked = list[str]()

    def left(job: Job) -> float:
        asked.append(job.id)
        return float(job.id == ids[0])

    assert (claimed := queue.claim(left=left)) and claimed.id == ids[25]
    assert set(asked) == {ids[n] for n in (0, 25, 50, 75)[:COMPARED]}


def test_a_clock_that_was_set_back_puts_nobody_behind_for_good(monkeypatch: pytest.MonkeyPatch):
    for owner in (ANNA.owner, BEN.owner):
        queue.add("run", {}, owner=owner)
    tomorrow = time.time() + 86_400
    with monkeypatch.context() as clock:
        clock.setattr(time, "time", lambda: tomorrow)
        first = queue.claim()
    second = queue.claim()
    assert first and second
    assert queue.move(first.id, "completed") and queue.move(second.id, "completed")
    hers, his = (queue.add("run", {}, owner=owner) for owner in (ANNA.owner, BEN.owner))
    assert [job.id for job in queue.in_turn()] == [hers, his]


def test_a_crowd_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch):
    hers = queue.add("run", {"draft": {"base": {}}}, owner=ANNA.owner)
    queue.cancel(hers)
    for _ in range(changes.WAITING_EACH):
        queue.add("run", {}, owner=ANNA.owner)
    for act in (lambda: queue.add("run", {}, owner=ANNA.owner), lambda: jobs.resume(hers, ANNA)):
        with pytest.raises(QueueFull, match="you have 5 jobs waiting already"):
            act()
    assert queue.get(hers).status == "cancelled"
    _, stopped = (queue.add("run", {}, owner=BEN.owner) for _ in range(2))
    queue.cancel(stopped)
    monkeypatch.setattr(changes, "WAITING", 6)
    for launch in (lambda: queue.requeue(stopped), lambda: queue.add("run", {}, owner=BEN.owner)):
        with pytest.raises(QueueFull, match="6 jobs are waiting on this server"):
            launch()


def test_visitors_pin_half_of_the_quota_and_a_teacher_all(monkeypatch: pytest.MonkeyPatch):
    """Otherwise one visitor could leave no room for anybody else's runs."""
    monkeypatch.setenv("EPSILON_QUOTA_GB", "5e-6")
    ids = [record("completed", owner=ANNA.owner) for _ in range(3)]
    for identity in (*ids[:2], ids[0]):
        jobs.pin(identity, ANNA)
    with pytest.raises(NotNow, match=r"pinned runs take 0.0 MB, .* unpin one of yours, or ask a teacher"):
        jobs.pin(ids[2], ANNA)
    assert not queue.get(ids[2]).pinned
    jobs.pin(ids[2], OPERATOR)
    assert queue.get(ids[2]).pinned


def test_a_teacher_knows_the_secret_if_there_is_one(monkeypatch: pytest.MonkeyPatch):
    assert not any(map(is_teacher, ("", "chalk")))
    monkeypatch.setenv("EPSILON_TEACHER", "chalk")
    assert [one for one in ("", "cheese", "chalk") if is_teacher(one)] == ["chalk"]
    monkeypatch.setenv("EPSILON_TEACHER", "gehei\udcdf")
    assert not is_teacher("geheiß")
    assert not is_teacher("\ud800")


def test_waiting_jobs_are_limited_per_address():
    here, elsewhere = address("192.0.2.1"), address("192.0.2.2")
    taken = [queue.add("run", {}, owner=f"one of a class {n % 30}", address=here) for n in range(100)]
    with pytest.raises(
        QueueFull, match=r"^100 jobs from your network are waiting already, as many as one may"
    ):
        queue.add("run", {}, owner="another cookie", address=here)
    queue.add("run", {}, owner=ANNA.owner, address=elsewhere)
    queue.add("run", {})  # at the machine itself
    jobs.cancel(taken[0])
    queue.add("run", {}, owner="another cookie", address=here)
    with pytest.raises(QueueFull, match="from your network"):
        queue.requeue(taken[0])
    assert "192" not in here


def test_only_a_teacher_stops_all():
    found = [queue.add("run", {}, owner=one.owner) for one in (ANNA, BEN, ANNA)]
    with pytest.raises(NotYours, match="only a teacher"):
        jobs.cancel_all(ANNA)
    assert jobs.cancel_all(Person("c", teacher=True)) == 3
    assert {(queue.get(one).status, queue.get(one).message) for one in found} == {
        ("cancelled", "a teacher has stopped it")
    }


def test_many_jobs_put_aside_leave_turns_to_new_ones(monkeypatch: pytest.MonkeyPatch):
    """Only one in RESCUE_SECONDS comes first for having waited long."""
    old = [queue.add("run", {}, owner=person(f"{n:032x}").owner) for n in range(4)]
    for identity in old:
        assert queue.claim() and queue.move(identity, "queued", ASIDE)
    new = queue.add("run", {}, owner=BEN.owner)
    now = time.time() + STARVED_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: now)
    claimed = [queue.claim() for _ in range(2)]
    assert [job and job.id for job in claimed] == [old[0], new]


def test_resumed_job_puts_its_owners_next_one_behind_nobody(monkeypatch: pytest.MonkeyPatch):
    hers, _ = (queue.add("run", {}, owner=one.owner, address="class") for one in (ANNA, BEN))
    for _ in range(2):
        assert (job := queue.claim()) and queue.move(job.id, "queued", ASIDE)
    assert (job := queue.claim()) and job.id == hers and queue.move(hers, "queued", ASIDE)
    now = time.time() + APART_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: now)
    new = [queue.add("run", {}, owner=one.owner, address="class") for one in (ANNA, BEN)]
    assert [job.id for job in queue.in_turn()][:2] == new


def test_new_jobs_of_one_person_leave_turns_to_others():
    first, second, third = (queue.add("run", {}, owner=ANNA.owner) for _ in range(3))
    other = queue.add("run", {}, owner=BEN.owner, address=ANNA.owner)
    assert [job.id for job in queue.in_turn()] == [first, other, second, third]
