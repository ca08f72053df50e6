"""A class answers through coins: one bit each for an ε, counted with the member, gone with the class."""

from pathlib import Path

import pytest

from ldp_core.classroom import members, one_bit, sessions
from ldp_core.classroom.store import CLASSES
from ldp_core.errors import InvalidInput, NotNow
from ldp_core.runs.storage import inventory
from tests.classroom.test_sessions import TEACHER


@pytest.fixture
def opened(runs_dir: Path) -> sessions.Session:
    session = sessions.open_class(TEACHER, "one_bit", "1.1")
    for name in ("anna", "ben", "cleo"):
        members.join(session, name, name)
    sessions.move(session, TEACHER, "ask")
    return sessions.find(session.code)


def now(session: sessions.Session) -> sessions.Session:
    return sessions.find(session.code)


def test_second_bit_under_one_budget_is_refused(opened: sessions.Session):
    one_bit.send(opened, "anna", 1, "1.1")
    with pytest.raises(NotNow, match="second toss"):
        one_bit.send(opened, "anna", 0, "1.1")
    one_bit.send(opened, "ben", 0, "1.1")
    assert one_bit.counts(opened) == {"1.1": (1, 2)}
    assert [one.guessed for one in members.members(opened)] == [True, True, False]


@pytest.mark.parametrize("bit", [True, 2, -1, "1", None, 0.0, {"at": 1}])
def test_only_a_bit_is_taken(opened: sessions.Session, bit: object):
    with pytest.raises(InvalidInput):
        one_bit.send(opened, "anna", bit, "1.1")
    assert not one_bit.counts(opened)


def test_bit_for_another_budget_or_by_a_stranger_is_refused(opened: sessions.Session):
    for who, name in (("anna", "11"), ("anna", None), ("dora", "1.1")):
        with pytest.raises(NotNow):
            one_bit.send(opened, who, 1, name)
    one_bit.go_on(opened, TEACHER)
    with pytest.raises(NotNow, match="too late"):
        one_bit.send(opened, "anna", 1, "1.1")


def test_same_question_is_asked_again_with_ten_times_the_budget(opened: sessions.Session):
    one_bit.send(opened, "anna", 1, "1.1")
    one_bit.go_on(opened, TEACHER)
    assert now(opened).phase == "shown"
    one_bit.go_on(now(opened), TEACHER)
    again = now(opened)
    assert (again.phase, again.free) == ("ask", "11")
    assert not any(one.guessed for one in members.members(again))
    one_bit.send(again, "anna", 1, "11")
    assert one_bit.counts(again) == {"1.1": (1, 1), "11": (1, 1)}
    assert one_bit.sent_by(again, "anna") == {"1.1": 1, "11": 1}
    one_bit.go_on(again, TEACHER)
    one_bit.go_on(now(opened), TEACHER)
    assert now(opened).phase == "shown", "there is no larger one"


def test_leaving_and_joining_again_gives_no_second_toss(opened: sessions.Session):
    one_bit.send(opened, "anna", 1, "1.1")
    members.leave(opened, "anna")
    assert not one_bit.counts(opened) and not one_bit.sent_by(opened, "anna")
    members.join(opened, "anna", "anna")
    with pytest.raises(NotNow, match="second toss"):
        one_bit.send(opened, "anna", 0, "1.1")
    assert not one_bit.counts(opened)


def test_bits_go_with_their_member_and_their_class(opened: sessions.Session):
    for who in ("anna", "ben"):
        one_bit.send(opened, who, 1, "1.1")
    entries = [one.id for one in inventory.standing("member")]
    assert len(entries) == 3 and f"{opened.code} anna" in entries
    members.leave(opened, "anna")
    assert one_bit.counts(opened) == {"1.1": (1, 1)}
    sessions.end(opened, TEACHER)
    assert CLASSES.rows("SELECT * FROM bit") == [] and inventory.standing("member") == []
