"""Widgets outside the draft whose values are stored with it, over pages and reloads."""

from contextlib import suppress
from typing import Any

import streamlit as st

from ldp_core.errors import StorageFailed
from ldp_core.runs import drafts
from pages.parts.ui.memory import tab
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.workspace import Workspace


def kept(workspace: Workspace, name: str, first: Any, into: str = "value") -> dict[str, Any]:
    """`key`, `on_change` and, as parameter `into`, the initial value; `name` is unique in the draft."""
    key, value = workspace.key(name), workspace.typed.get(name, first)

    @uncut
    def changed() -> None:
        if st.session_state.get(key, value) != value:
            with suppress(StorageFailed):  # then it stands in the field alone
                drafts.keep_typed(workspace.id, name, st.session_state[key])

    tab().page.keepers[key] = key, changed
    return {"key": key, "on_change": changed, into: value}
