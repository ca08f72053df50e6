"""The only file that reaches into Streamlit where it offers no door; a test holds it to the version tried.

What is used here has no promise to stay. After an update of Streamlit, look at each function, try the tests
of `uncut` and of reconnecting browsers, and only then change the version in the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


@contextmanager
def undisturbed() -> Iterator[None]:
    """Within it the session's state does not look whether the browser has asked for the next run."""
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
    """The live session of a browser, by its id; None where it has gone."""
    known = runtime.get_instance()._session_mgr.get_active_session_info(identity)
    return known.session if known else None


def run_again(session: Any) -> None:
    """Run the page that a session shows, with what its browser has told last."""
    session.request_rerun(session._client_state)
