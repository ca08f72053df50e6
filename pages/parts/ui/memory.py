"""Server-side state of a browser tab, beside its widgets' values."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from ldp_core.errors import Problem

NAME = "memory of this tab"


@dataclass
class PageState:
    """State of the displayed page; reset with every page change."""

    fields: dict[str, tuple[Any, int, Any]] = field(default_factory=dict)
    """The draft's value, the version of the widget and its initial value, by widget."""
    keepers: dict[str, tuple[str, Callable[[], None]]] = field(default_factory=dict)
    """Key, and function that stores the widget's value, by widget."""
    waiting: dict[str, tuple[str, Any]] = field(default_factory=dict)
    """Invalid values: field and value by widget."""
    wrong: dict[str, tuple[Problem, ...]] = field(default_factory=dict)
    """Errors of typed values by widget."""
    unfolded: set[str] = field(default_factory=set)
    """Labels of expanders that have been open."""
    refused: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Error message of a failed action and its time (monotonic clock), by part of the page."""


@dataclass
class Tab:
    """State of a browser tab while it is connected."""

    page: PageState = field(default_factory=PageState)
    shown: str = ""
    """Name of the displayed page."""
    visit: int = 0
    """Number of page changes; each makes new widgets."""
    draft: str = ""
    """Id of the open draft."""
    generation: int = 0
    """Number of times that all widgets were replaced."""
    projector: bool = False
    """Whether pages are shown for a wall."""
    unheard: dict[str, Callable[[], None]] = field(default_factory=dict)
    """Functions that apply a change, for widgets that this session has not drawn yet."""


def tab() -> Tab:
    found: Tab = st.session_state.setdefault(NAME, Tab())
    return found
