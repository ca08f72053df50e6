"""What a visitor may say: what a page needs, and no more."""

import asyncio
import time
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.server import messages
from pages.server.messages import Messages, is_needed

said: Any = BackMsg
NEEDED = [
    said(rerun_script={}),
    said(rerun_script={"query_string": "draft=0123456789ab", "fragment_id": "0a" * 16}),
    said(stop_script=True),
    said(file_urls_request={"request_id": "1", "file_names": ["a.csv"]}),
    said(backend_operation_request={"deferred_file": {"file_id": "a"}, "request_id": "1"}),
]
NOT_NEEDED = [
    said(),
    said(clear_cache=True),
    said(set_run_on_save=True),
    said(load_git_info=True),
    said(app_heartbeat=True),
    said(debug_shutdown_runtime=True),
    said(backend_operation_request={"install_skills": {}}),
    said(backend_operation_request={"dismiss_skills_nudge": {}}),
    said(backend_operation_request={"dataframe_chunk": {"source_id": "x"}}),
    said(backend_operation_request={"deferred_file": {"file_id": "no button's"}}),
    said(backend_operation_request={"deferred_file": {"file_id": "a"}, "request_id": "x" * 200}),
    said(file_urls_request={"file_names": ["x"] * 100}),
    said(rerun_script={"query_string": "x" * 5000}),
    said(rerun_script={"fragment_id": "x\nWARNING forged"}),
    said(rerun_script={"page_script_hash": "../x"}),
]


@pytest.fixture(autouse=True)
def one_button(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "is_download", lambda name: name == "a")


@pytest.mark.parametrize("message", NEEDED, ids=lambda m: m.WhichOneof("type"))
def test_needed_messages_are_let_through(message: BackMsg):
    assert is_needed(message.SerializeToString())


@pytest.mark.parametrize("message", NOT_NEEDED, ids=lambda m: str(m)[:50].replace("\n", " "))
def test_anything_else_is_not(message: BackMsg):
    assert not is_needed(message.SerializeToString())


@pytest.mark.parametrize("payload", [b"", b"\xff", b"\x00" * 9, bytes(2_000_001)])
def test_malformed_messages_are_dropped(payload: bytes):
    assert not is_needed(payload)


def test_needed_message_passes_after_dropped_ones():
    received = [{"bytes": message.SerializeToString()} for message in [*NOT_NEEDED, NEEDED[0]]]
    result = [{"type": "websocket.receive"} | one for one in [{"text": "a text"}, *received]]
    ends = [{"type": "websocket.connect"}], [{"type": "websocket.disconnect"}]
    assert asyncio.run(heard([*ends[0], *result, *ends[1]])) == [*ends[0], result[-1], *ends[1]]


def test_message_bursts_are_slowed_down(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(messages, "BURST", 5)
    one = {"type": "websocket.receive", "bytes": NEEDED[0].SerializeToString()}
    begun = time.monotonic()
    asyncio.run(heard([one] * 11 + [{"type": "websocket.disconnect"}]))
    assert time.monotonic() - begun > 5 / messages.A_SECOND


async def heard(emitted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a page behind the middleware hears of this."""
    found: list[dict[str, Any]] = []

    async def page(scope, receive, send):
        while not found or found[-1]["type"] != "websocket.disconnect":
            found.append(await receive())

    waiting = iter(emitted)

    async def receive():
        return next(waiting)

    async def send(message):
        raise AssertionError(message)

    await Messages(page)({"type": "websocket"}, receive, send)
    return found
