"""What a widget does when it is changed or pressed, done to its end and in the order of the hand.

Streamlit may leave a callback at any use of the session, as soon as the browser has asked for the next
run or has lost its connection: what was typed right before a click would be shown and not be kept, and
a click would do nothing. Without a message.

And where a slow server finds a change and a click in one request, it may hear of the click first: what was
typed before it would not count.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from pages.parts.ui.memory import tab
from pages.server.private_streamlit import undisturbed

P = ParamSpec("P")


def uncut(callback: Callable[P, None]) -> Callable[P, None]:
    """The callback, which nothing interrupts; the next run begins when it is done."""

    @wraps(callback)
    def done(*args: P.args, **kwargs: P.kwargs) -> None:
        with undisturbed():
            callback(*args, **kwargs)

    return done


def pressed(callback: Callable[P, None]) -> Callable[P, None]:
    """The callback of a button, uncut, once every field of the page has kept what stands in it."""

    @uncut
    @wraps(callback)
    def done(*args: P.args, **kwargs: P.kwargs) -> None:
        for key, keep in list(tab().page.keepers.values()):
            if key in st.session_state:
                keep()
        callback(*args, **kwargs)

    return done
