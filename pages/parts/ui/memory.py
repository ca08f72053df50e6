"""Server-side state of a browser tab, beside its widgets' values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from ldp_core.errors import Problem

NAME = "memory of this tab"


@dataclass
class Page:
    """State of the displayed page; reset with every page change."""

    fields: dict[str, tuple[Any, int, Any]] = field(default_factory=dict)
    """By widget: the value that the draft holds, which version of the widget shows it, and what that began
    with."""
    keepers: dict[str, tuple[str, Callable[[], None]]] = field(default_factory=dict)
    """By widget: its key, and what keeps what stands in it."""
    waiting: dict[str, tuple[str, Any]] = field(default_factory=dict)
    """What stands in fields and does not fit the draft: field and value, by widget."""
    wrong: dict[str, tuple[Problem, ...]] = field(default_factory=dict)
    """What is wrong with what is typed, by widget."""
    refused: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Why what was pressed could not be done, and when that was found (by the monotonic clock), by the part
    of the page that says it."""


@dataclass
class Tab:
    """State of a browser tab while it is connected."""

    page: Page = field(default_factory=Page)
    shown: str = ""
    """The page that is shown."""
    visit: int = 0
    """How many pages have been shown: a widget of an earlier visit is another one."""
    draft: str = ""
    """The draft that is open, by its id."""
    generation: int = 0
    """How often all widgets were begun afresh."""
    projector: bool = False
    """Whether pages are shown as for a wall."""
    unheard: dict[str, Callable[[], None]] = field(default_factory=dict)
    """What would hear of a change, of widgets that are drawn for the first time."""


def tab() -> Tab:
    found: Tab = st.session_state.setdefault(NAME, Tab())
    return found
