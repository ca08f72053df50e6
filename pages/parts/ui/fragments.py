"""A part of a page that draws itself again; where it cannot, it says why instead of tearing the page."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from ldp_core.errors import StudioError
from pages.parts.ui.text import plain

P = ParamSpec("P")


def guarded(draw: Callable[P, None]) -> Callable[P, None]:
    """Draw; a folder of runs that cannot be used, or a database that is damaged, becomes its sentence."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            draw(*args, **kwargs)
        except StudioError as error:
            logging.exception("a page cannot be shown")
            st.error(f"This cannot be shown now: {plain(str(error), 400)}.")

    return drawn


def refreshing(draw: Callable[P, None], every: float | None = None) -> Callable[P, None]:
    """A fragment, drawn again every so many seconds, or with its own widgets alone."""
    fragment: Callable[P, None] = st.fragment(guarded(draw), run_every=every)
    return fragment
