"""Who asks for what somebody is at waits for that, without a slot and without a turn."""

from __future__ import annotations

import pytest

from ldp_core.runs import queue

pytestmark = pytest.mark.usefixtures("runs_dir")
SHARED = ["run"]


def test_who_asks_for_the_same_waits_and_is_released():
    first, other, same = queue.add("run", {"a": 1}), queue.add("run", {"a": 2}), queue.add("run", {"a": 1})
    ladder = queue.add("attack", {"a": 1})
    queue.pair(SHARED)
    assert [job.waits_for for job in queue.find()] == [None] * 4, "nobody is at it"
    assert queue.claim(1, SHARED).id == first  # type: ignore[union-attr]
    queue.pair(SHARED)
    assert queue.get(same).waits_for == first
    assert {job.id for job in queue.in_turn()} == {other, ladder}
    assert queue.released() == []
    assert queue.move(first, "failed")
    assert [job.id for job in queue.released()] == [same]
    assert {job.id for job in (queue.claim(9, SHARED), queue.claim(9, SHARED)) if job} == {other, ladder}
    assert queue.claim(9, SHARED) is None, "what was found is looked at first"
    queue.release(same)
    assert queue.claim(9, SHARED).id == same  # type: ignore[union-attr]


def test_of_several_that_are_claimed_at_once_one_does_it():
    ids = [queue.add("run", {"a": 1}, owner=owner) for owner in "abc"]
    claimed = [queue.claim(9, SHARED) for _ in range(3)]
    assert [job and job.id for job in claimed] == [ids[0], None, None]
    assert [queue.get(identity).waits_for for identity in ids[1:]] == [ids[0]] * 2
