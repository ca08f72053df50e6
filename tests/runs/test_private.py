"""What is private is found by nobody else in a list or cache, and after its deletion nowhere on the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import UnknownJob
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.jobs.finding import Wanted, lines
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.queue.permissions import person, room_of
from ldp_core.runs.record import deletion
from tests.runs.in_process import bodies, found_in, settled, trained

pytestmark = pytest.mark.usefixtures("no_worker")
ANNA, BEN = person("a" * 32), person("b" * 32)
NAME = "marker of what is nobody else's"
SWEPT = {"base": {"rounds": 1, "name": NAME, "attack": None}, "grid": {"clients.epsilon": [1, 2]}}
DRAFT = Draft(parse({"rounds": 2, "name": NAME, "attack": None}), (Variant("run"),))


def private(kind: str, asked: Any) -> str:
    assert ANNA.owner
    read = kinds.get(kind).read(asked, {}) if kind == "sweep" else asked
    return settled(jobs.launch(kind, read, owner=ANNA.owner, room=room_of(ANNA.owner))).id


@pytest.mark.parametrize(("kind", "asked"), [("run", Training(DRAFT)), ("sweep", SWEPT)])
def test_it_is_in_nobody_elses_list_page_or_cache_and_goes_at_once(runs_dir: Path, kind: str, asked: Any):
    identity = private(kind, asked)
    job = queue.get(identity)
    assert jobs.recent() == []
    assert lines(Wanted()) == []
    assert [one.id for one in jobs.recent(owner=ANNA.owner)] == [identity]
    assert jobs.look(identity, ANNA).id == identity
    with pytest.raises(UnknownJob):
        jobs.look(identity, BEN)
    theirs = trained(DRAFT if kind == "run" else SWEPT, kind)
    assert not set(theirs.keys) & set(job.keys)
    assert not any(one.get("known") for one in bodies(theirs)), "no cell was taken over"
    jobs.remove(theirs.id)
    again = private(kind, asked)
    assert queue.get(again).keys == job.keys, "for its owner it is known"
    assert found_in(runs_dir, NAME.encode())
    jobs.delete(identity, ANNA)
    assert bodies(queue.get(again)), "as long as one of the owner's jobs names it"
    jobs.delete(again, ANNA)
    assert jobs.deleted(ANNA) == []
    assert found_in(runs_dir, NAME.encode()) == []
    assert found_in(runs_dir, job.room.encode()) == []
    assert [*(runs_dir / "computed").iterdir()] == []


def test_what_others_compute_is_none_of_a_private_jobs(runs_dir: Path):
    trained(DRAFT)
    assert ANNA.owner
    waits = jobs.launch("run", Training(DRAFT), owner=ANNA.owner, room=room_of(ANNA.owner))
    assert jobs.look(waits).status == "queued"
    queue.cancel(waits)
    jobs.delete(waits, ANNA)
    assert deletion.sweep() == []
