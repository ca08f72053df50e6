"""What Streamlit keeps to itself is used in one file, of the version that it was tried with."""

import math
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import streamlit
from streamlit import runtime
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.state import SafeSessionState, SessionState

from pages.server import private_streamlit
from tests.conftest import ROOT

TRIED = "1.67.0"


def test_the_version_is_the_one_that_was_tried():
    assert streamlit.__version__ == TRIED, private_streamlit.__doc__
    assert f"streamlit=={TRIED}" in (ROOT / "requirements.txt").read_text()


def test_private_streamlit_names_exist():
    asked: list[str] = []
    SafeSessionState(SessionState(), lambda: asked.append("once"))._yield_callback()
    assert asked == ["once"]
    names = AppSession.__init__.__code__.co_names
    assert "_client_state" in names
    assert callable(AppSession.request_rerun)


def test_fragment_rerun_keeps_queued_messages():
    """Else a student who joins a class while the page polls loses the line with the own name."""
    private_streamlit.mend()
    queue = ForwardMsgQueue()
    for path, fragment in (([0, 0], ""), ([0, 1], "polling"), ([0, 2], "")):
        drawn = ForwardMsg()
        drawn.metadata.delta_path.extend(path)
        drawn.delta.fragment_id = fragment
        drawn.delta.add_block.allow_empty = True
        queue.enqueue(drawn)
    queue.enqueue(ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY))
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["polling"])
    assert [list(one.metadata.delta_path) for one in queue.flush()] == [[0, 0], [0, 1], [0, 2], []]

    queue.enqueue(drawn)
    queue.clear(retain_lifecycle_msgs=True)
    assert queue.is_empty()


def test_session_ends_by_timeout_or_replacement(monkeypatch: pytest.MonkeyPatch):
    stored: Any = MemorySessionStorage(1, 60)
    known = [Mock(**{"session.id": name}) for name in ("a", "b", "c")]
    manager = SimpleNamespace(_session_storage=stored, _active_session_info_by_id={"a": known[0]})
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(_session_mgr=manager))
    monkeypatch.setattr(runtime, "exists", lambda: True)
    private_streamlit.let_go_of_the_gone()
    for one in known:
        stored.save(one)
    stored._cache._ttl, stored._cache._timer = 0, lambda: math.inf
    assert private_streamlit.sessions() == 1, "the one that came back"
    assert [one.session.shutdown.call_count for one in known] == [0, 1, 1]
