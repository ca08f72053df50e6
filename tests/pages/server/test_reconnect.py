"""A browser whose connection is back hears a whole run, never what is left of the last one."""

from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.server import reconnect
from pages.server.reconnect import Reconnect, Threshold

FINISHED = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)
FINISHED_BYTES = FINISHED.SerializeToString()
ASKING = BackMsg()
ASKING.rerun_script.query_string = ""


def begun() -> bytes:
    message = ForwardMsg()
    message.new_session.name = "run"
    return message.SerializeToString()


def answer() -> bytes:
    message = ForwardMsg()
    message.file_urls_response.response_id = "x"
    return message.SerializeToString()


def test_leftovers_of_the_last_run_are_held_back():
    threshold = Threshold()
    assert not threshold.lets_pass(begun())  # the beginning of a run that was not asked for here
    assert not threshold.lets_pass(FINISHED_BYTES)
    threshold.hear(ASKING.SerializeToString())
    assert not threshold.lets_pass(FINISHED_BYTES)
    assert threshold.lets_pass(begun())
    assert threshold.lets_pass(FINISHED_BYTES)
    assert not threshold.closed


@pytest.mark.parametrize("heard", [BackMsg(load_git_info=True).SerializeToString(), b"\xff\xff\xff\xff"])
def test_only_a_request_for_a_run_lets_more_pass_than_answers(heard: bytes):
    threshold = Threshold()
    threshold.hear(heard)
    assert not threshold.asked and not threshold.lets_pass(begun())
    assert threshold.lets_pass(answer())


class Line:
    """One connection with a server that says what it has as soon as it is accepted."""

    def __init__(self, protocols: list[str], said: list[bytes]) -> None:
        self.scope = {"type": "websocket", "subprotocols": protocols}
        self.said, self.heard = said, []  # type: ignore[var-annotated]

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        for payload in self.said:
            await send({"type": "websocket.send", "bytes": payload})
        for _ in range(20):  # what is ready has had a turn by then
            await anyio.sleep(0)

    async def send(self, message: Any) -> None:
        self.heard.append(message.get("bytes"))

    async def receive(self) -> Any:
        return {"type": "websocket.receive", "bytes": ASKING.SerializeToString()}


def test_a_first_connection_is_left_alone():
    line = Line(["streamlit", "token"], [FINISHED_BYTES])
    anyio.run(Reconnect(line.app), line.scope, line.receive, line.send)
    assert line.heard == [None, FINISHED_BYTES]


def test_silent_browser_gets_a_run(monkeypatch: pytest.MonkeyPatch):
    runs: list[str] = []

    session = SimpleNamespace(_client_state="as it was", request_rerun=runs.append)
    known = {"mine": SimpleNamespace(session=session)}
    runtime = SimpleNamespace(_session_mgr=SimpleNamespace(get_active_session_info=known.get))
    monkeypatch.setattr(reconnect, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr("streamlit.runtime.get_instance", lambda: runtime)
    for name in ("mine", "of a server that was"):
        line = Line(["streamlit", "token", name], [FINISHED_BYTES])
        anyio.run(Reconnect(line.app), line.scope, line.receive, line.send)
        assert line.heard == [None]
    assert runs == ["as it was"]
