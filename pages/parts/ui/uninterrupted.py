"""What a widget does when it is changed or pressed, done to its end.

Streamlit may leave a callback at any use of the session, as soon as the browser has asked for the next
run or has lost its connection: what was typed right before a click would be shown and not be kept, and
a click would do nothing. Nobody would be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

from streamlit.runtime.scriptrunner import get_script_run_ctx

P = ParamSpec("P")


def uncut(callback: Callable[P, None]) -> Callable[P, None]:
    """The callback, which nothing interrupts; the next run begins when it is done."""

    @wraps(callback)
    def done(*args: P.args, **kwargs: P.kwargs) -> None:
        with _undisturbed():
            callback(*args, **kwargs)

    return done


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Have the session's state not look for requests meanwhile."""
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
