"""Invalid text in the clients' table."""

import streamlit as st

from pages.parts.clients.cells import Cell
from pages.parts.ui.workspace import Workspace

PAGE = "clients"


def errors_of(workspace: Workspace) -> dict[Cell, str]:
    """Error of each invalid cell."""
    found: dict[Cell, str] = st.session_state.get(workspace.key("wrong", PAGE), {})
    return found


def unmended(workspace: Workspace) -> str:
    """Number of invalid cells, in words; "" if none."""
    count = len(errors_of(workspace))
    return f"{count} cell{'s' if count > 1 else ''} of the clients' table to mend" if count else ""
