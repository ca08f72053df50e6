"""Widget callbacks that Streamlit cannot interrupt.

Streamlit may abort a callback at any access to the session once the browser requests the next script run or
disconnects: text entered right before a click would be lost, or the click would have no effect. And if a
change and a click arrive in one request, the click may be handled first.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from pages.parts.ui.memory import tab
from pages.server.private_streamlit import undisturbed

P = ParamSpec("P")


def uncut(callback: Callable[P, None]) -> Callable[P, None]:
    """The callback without interruption; the next script run waits."""

    @wraps(callback)
    def done(*args: P.args, **kwargs: P.kwargs) -> None:
        with undisturbed():
            callback(*args, **kwargs)

    return done


def pressed(callback: Callable[P, None]) -> Callable[P, None]:
    """A button's callback, uninterrupted, after all fields of the page have stored their values."""

    @uncut
    @wraps(callback)
    def done(*args: P.args, **kwargs: P.kwargs) -> None:
        for key, keep in list(tab().page.keepers.values()):
            if key in st.session_state:
                keep()
        callback(*args, **kwargs)

    return done
