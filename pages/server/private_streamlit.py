"""The only file that uses private parts of Streamlit; a test pins the version it was tried with.

After an update of Streamlit, review each function, run the tests of `uncut` and of reconnecting browsers,
then change the version in the test.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from starlette.datastructures import Headers
from streamlit import runtime
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.common import WidgetMetadata, is_element_id
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX, Serialized, Value, WStates
from streamlit.runtime.uploaded_file_manager import DeletedFile
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME


@contextmanager
def undisturbed() -> Iterator[None]:
    """Context in which Streamlit does not interrupt the script run at session accesses."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        yield
        return
    # as Streamlit does it itself: setting an attribute of the state would set a value of the session
    state, looks = context.session_state, context.session_state._yield_callback
    object.__setattr__(state, "_yield_callback", lambda: None)
    try:
        yield
    finally:
        object.__setattr__(state, "_yield_callback", looks)


def session_named(identity: str) -> Any | None:
    """Live session by id; None if gone."""
    known = runtime.get_instance()._session_mgr.get_active_session_info(identity)
    return known.session if known else None


def run_again(session: Any) -> None:
    """Rerun a session's page with its browser's latest values."""
    session.request_rerun(session._client_state)


def sessions() -> int:
    """Number of open pages, and of those whose browsers may reconnect: each has an event loop."""
    if not runtime.exists():
        return 0
    manager: Any = runtime.get_instance()._session_mgr
    return len(manager._active_session_info_by_id) + len(manager._session_storage._cache)


def uploaded(session: str) -> tuple[int, int]:
    """Bytes of stored uploads of a session, and of all."""
    manager: Any = runtime.get_instance().uploaded_file_mgr
    with manager._lock:
        files = list(manager.file_storage.get(session, {}).values())
        return sum(len(file.data) for file in files), manager._total_bytes


def vouched(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Headers of a request from a page of this server that is without its cookies, with an XSRF token."""
    if XSRF_COOKIE_NAME in headers.get("cookie", ""):
        return headers.raw
    token = generate_xsrf_token_string()
    cookies = "; ".join([*headers.getlist("cookie"), f"{XSRF_COOKIE_NAME}={token}"])
    others = [(name, value) for name, value in headers.raw if name not in (b"cookie", b"x-xsrftoken")]
    return [*others, (b"cookie", cookies.encode("latin-1")), (b"x-xsrftoken", token.encode())]


def let_go_of_the_gone() -> None:
    """End the sessions of browsers that have not reconnected in time, with their uploads, here and wherever
    Streamlit drops them: each look at their number does.
    """
    manager: Any = runtime.get_instance()._session_mgr
    stored, open_now = manager._session_storage._cache, manager._active_session_info_by_id
    stored._on_remove = lambda name, known: name in open_now or known.session.shutdown()
    stored.expire()


def is_download(name: str) -> bool:
    return name in runtime.get_instance().media_file_mgr._deferred_callables


def mend() -> None:
    """Called once, before the first visitor: widget values that the drawn widget cannot have, which would
    make a callback or the page fail, are ignored; messages that wait to be sent stay when a fragment reruns.
    """
    if WStates.__getitem__ is _read:
        return
    WStates.__getitem__ = _read  # type: ignore[method-assign]
    WStates.set_widget_from_proto = _set  # type: ignore[method-assign, assignment]
    ForwardMsgQueue.clear = _clear  # type: ignore[method-assign, assignment]


_plain_clear = ForwardMsgQueue.clear


def _clear(queue: Any, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: Any = None) -> None:
    """Drop what waits to be sent, as Streamlit does, but nothing at the start of a fragment's run. Streamlit
    drops there what the page's run just before has drawn of the fragment, but keeps that run's end: the
    browser then removes the fragment as stale, and all that follows on the page moves up by one place, where
    the fragment's new content replaces it.
    """
    if fragment_ids_this_run is None:
        _plain_clear(queue, retain_lifecycle_msgs)
    else:
        queue._delta_index_map = {}  # nothing drawn from now on replaces what an earlier run has drawn


PRESSES = f"{STREAMLIT_INTERNAL_KEY_PREFIX}_"
_plain_read, _plain_set = WStates.__getitem__, WStates.set_widget_from_proto


def _set(states: WStates, widget_state: WidgetState) -> None:
    """Store a widget's value from the browser, if the drawn widget can have it."""
    state = widget_state
    drawn = states.widget_metadata.get(state.id)
    own = state.id.removeprefix(PRESSES)  # of a component of ours: its presses have a place beside its state
    if is_element_id(own) and (drawn is None or _can_hold(drawn, state)):
        _plain_set(states, state)


def _read(states: WStates, identity: str) -> Any:
    """Value of a widget; its default if the browser sent an impossible one."""
    state, drawn = states.states.get(identity), states.widget_metadata.get(identity)
    if drawn is None or not isinstance(state, Serialized):
        return _plain_read(states, identity)
    if _can_hold(drawn, state.value):
        # each widget reads in its own way, and fails in its own way
        with suppress(Exception):
            found = _plain_read(states, identity)
            if not isinstance(found, DeletedFile):
                return found
    states.states[identity] = Value(drawn.deserializer(None))
    return _plain_read(states, identity)


OBJECTS = {"json_value": dict, "json_trigger_value": list}
"""Types of values that this program's components may send."""
NUMBERS = {"int_value", "double_value"}
"""Number types that are interchangeable before a field's first value is known."""


def _is_object(text: str, kind: type) -> bool:
    try:
        return isinstance(json.loads(text), kind)
    except (ValueError, RecursionError):
        return False


def _can_hold(drawn: WidgetMetadata[Any], state: WidgetState) -> bool:
    """False for a wrong type, an option that was not offered, or none where one is required."""
    kind = state.WhichOneof("value")
    if kind not in (None, drawn.value_type) and not {kind, drawn.value_type} <= NUMBERS:
        return False
    if kind in OBJECTS:
        return _is_object(getattr(state, kind), OBJECTS[kind])
    own = getattr(drawn.deserializer, "__self__", None)
    options = getattr(own, "formatted_option_to_option_index", None)
    if options is None or kind not in ("string_value", "string_array_value"):
        return True
    chosen = [state.string_value] if kind == "string_value" else list(state.string_array_value.data)
    always_one = getattr(own, "default_option_index", None) is not None
    return all(one in options for one in chosen) and (bool(chosen) or not always_one)
