"""What a student tries in a class ends with it."""

from pathlib import Path

import pytest
import streamlit as st

from ldp_core.classroom import members, sessions
from ldp_core.runs import queue
from pages.parts.classroom import student
from pages.parts.learn.one_thing import draft_of
from tests.classroom.test_sessions import TEACHER
from tests.runs.processes import stand_in


def test_run_tried_in_a_class_is_deleted_with_it(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    stand_in(runs_dir)
    session = sessions.open_class(TEACHER, "two_volunteers")
    members.join(session, "anna", "Anna")
    sessions.move(session, TEACHER, "free")
    free = sessions.find(session.code)
    monkeypatch.setattr(student, "me", lambda: "anna")
    monkeypatch.setattr(student, "who", lambda: {"owner": "anna", "address": None})
    monkeypatch.setattr(st, "session_state", {})
    student._tried(free, draft_of("two_volunteers", "rounds", 1, "1 round"), "1 round")
    (job,) = queue.find()
    assert [one.job for one in members.tries(free, "anna")] == [job.id]
    sessions.end(free, TEACHER)
    assert queue.find() == []
