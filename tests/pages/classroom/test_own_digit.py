"""A student's own digit, sent by a press."""

import pytest
import streamlit as st

from ldp_core.classroom import sessions
from pages.parts.classroom import own_digit
from pages.parts.ui.memory import tab
from tests.classroom.test_sessions import TEACHER


def test_press_without_its_values_is_refused_in_a_sentence(runs_dir: None, monkeypatch: pytest.MonkeyPatch):
    """No browser sends that, but a program does."""
    session = sessions.open_class(TEACHER, "own_digits")
    monkeypatch.setattr(own_digit, "me", lambda: "anna")
    monkeypatch.setattr(st, "session_state", {"digit x": 3})
    own_digit._send(session, "x")
    assert own_digit.NOT_SENT in tab().page.refused
