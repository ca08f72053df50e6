"""A visitor without a browser: raw requests, and what Streamlit's own page says, in its protobuf."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Self

import urllib3
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

DONE = {"finished_successfully", "finished_fragment_run_successfully"}
PATIENCE_SECONDS = 150.0
"""Until an answer is missed, on a machine that others keep busy. What must be quick is measured."""
HOLDS = {
    "button": "trigger_value",
    "checkbox": "bool_value",
    "number_input": "double_value",
    "selectbox": "string_value",
    "text_input": "string_value",
    "text_area": "string_value",
    "multiselect": "string_array_value",
    "button_group": "string_array_value",
    "slider": "double_array_value",
    "pagination": "int_value",
    "file_uploader": "file_uploader_state_value",
    (OWN := "bidi_component"): "json_value",
}


def ask(port: int, path: str = "/", method: str = "GET", **others: Any) -> urllib3.BaseHTTPResponse:
    """The answer of a server of this machine; its status is 0 where none came."""
    try:
        return urllib3.request(method, f"http://127.0.0.1:{port}{path}", retries=False, timeout=60, **others)
    except urllib3.exceptions.HTTPError:
        return urllib3.HTTPResponse(status=0)


class Viewer:
    """One open page."""

    def __init__(self, socket: ClientConnection, page: str, query: str) -> None:
        self.socket, self.page, self.query = socket, page, query
        self.fragments: dict[str, float] = {}
        """Seconds after which a part asks to be refreshed, by its id."""
        self.widgets: dict[str, str] = {}
        """Ids by label."""
        self.holds: dict[str, str] = {}
        """Kind of value of a widget, where it is known, by its id."""
        self.parts: dict[str, str] = {}
        """Id of the part in which a widget stands, which alone is drawn again, by its label; "" for none."""
        self.states: dict[str, Any] = {}
        self.errors: list[str] = []
        self.received = 0
        """Bytes."""
        self.busy = asyncio.Lock()
        self.session = self.known = ""
        self.written: list[str] = []

    @classmethod
    async def open(
        cls,
        url: str,
        page: str = "",
        query: str = "",
        xsrf: str = "",
        wire: Mapping[str, Any] | None = None,
        **headers: str,
    ) -> Self:
        """Connect and have the page drawn once; `xsrf` is the token that goes with its cookie, `wire` says
        how to connect where that does not follow from the address.
        """
        socket = await connect(
            url.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=["streamlit", xsrf] if xsrf else ["streamlit"],  # type: ignore[list-item]
            additional_headers=headers,
            origin=url,  # type: ignore[arg-type]
            max_size=None,
            ping_interval=None,
            **(wire or {}),
        )
        viewer = cls(socket, page, query)
        await viewer.rerun()
        return viewer

    @classmethod
    def visited(cls, url: str, page: str = "", query: str = "", **headers: str) -> Self:
        """One that has had the page drawn once, and has left."""

        async def visit() -> Self:
            viewer = await cls.open(url, page, query, "", None, **headers)
            await viewer.close()
            return viewer

        return asyncio.run(visit())

    async def rerun(self, fragment: str = "") -> float:
        """Have the page (or a part of it) drawn again; returns the seconds until it was, with its wait."""
        start = time.perf_counter()
        async with self.busy:
            await self.ask(fragment)
            while (status := await self._heard()) in ("", "finished_early_for_rerun"):
                pass
        if status not in DONE:
            self.errors.append(status)
        return time.perf_counter() - start

    async def _heard(self) -> str:
        """Note one message; how a run has ended where that is what it says."""
        async with asyncio.timeout(PATIENCE_SECONDS):  # Python 3.11's wait_for may lose a cancellation
            raw = await self.socket.recv()
        self.received += len(raw)
        result = ForwardMsg.FromString(raw)
        kind = result.WhichOneof("type") or ""
        if kind == "script_finished":
            return ForwardMsg.ScriptFinishedStatus.Name(result.script_finished).lower()
        self._note(result, kind)
        return ""

    async def ask(self, fragment: str = "") -> None:
        """Ask for the page (or a part of it), and wait for nothing."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.fragment_id = self.query, fragment
        # by its path the first time, as an address is typed; then by what the server calls it
        state.page_name, state.page_script_hash = ("", self.known) if self.known else (self.page, "")
        state.is_auto_rerun = bool(fragment)
        for identity, (kind, value) in self.states.items():
            widget = state.widget_states.widgets.add(id=identity)
            field = getattr(widget, kind)
            if hasattr(field, "data"):
                field.data.extend(value)
            elif hasattr(field, "CopyFrom"):
                field.CopyFrom(value)
            else:
                setattr(widget, kind, value)
        await self.socket.send(message.SerializeToString())

    async def move(self, label: str, kind: str, value: Any) -> float:
        """Move a control; returns the seconds until the page was drawn."""
        self.states[self.widgets[label]] = (kind, value)
        return await self.rerun(self.parts.get(label, ""))

    async def press(self, label: str) -> float:
        took = await self.move(label, "trigger_value", True)
        del self.states[self.widgets[label]]
        return took

    def _note(self, result: ForwardMsg, kind: str) -> None:
        if kind == "new_session":
            self.session = result.new_session.initialize.session_id
            if not result.metadata.run.fragment_ids:
                self.fragments.clear()  # the whole page is drawn, and says again what it refreshes
        elif kind == "navigation":
            self.known = result.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = result.page_info_changed.query_string
        elif kind == "auto_rerun":
            self.fragments[result.auto_rerun.fragment_id] = result.auto_rerun.interval
        elif kind == "delta" and (folded := result.delta.add_block.expandable).id:
            self.widgets[folded.label], self.parts[folded.label] = folded.id, result.delta.fragment_id
            self.holds[folded.id] = "bool_value"
        elif kind == "delta" and result.delta.HasField("new_element"):
            element, part = result.delta.new_element, result.delta.fragment_id
            which = element.WhichOneof("type") or ""
            inner: Any = getattr(element, which, None)
            if which in ("markdown", "alert"):
                self.written.append(inner.body)
            elif which == "exception":
                self.errors.append(inner.message)
            elif hasattr(inner, "id") and (which == OWN or hasattr(inner, "label")):
                label = inner.component_name.rpartition(".")[2] if which == OWN else inner.label
                self.widgets[label], self.parts[label] = inner.id, part
                self.holds[inner.id] = HOLDS.get(which, "")

    async def close(self) -> None:
        await self.socket.close()
