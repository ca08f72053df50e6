"""A callback runs to its end, though the browser has asked for the next run, or has gone, meanwhile."""

from __future__ import annotations

import ast

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT

PAGES = sorted((ROOT / "pages").rglob("*.py"))
CALLBACKS = ("on_click", "on_change", "on_select")


def page() -> None:
    """Two fields that are changed at once; during the first one's callback the next request comes in."""
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx
    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

    from pages.parts.ui.uninterrupted import uncut

    def disturb() -> None:
        context = get_script_run_ctx()
        assert context is not None
        assert context.script_requests is not None
        if st.session_state["how"] == "the next run":
            context.script_requests.request_rerun(RerunData(page_script_hash=context.page_script_hash))
        else:
            context.script_requests.request_stop()

    def keep() -> None:
        kept = st.session_state["kept"]
        kept.append(st.session_state["second"])

    st.session_state.setdefault("kept", [])
    st.session_state.setdefault("how", "the next run")
    st.number_input("First", key="first", on_change=disturb)
    st.number_input("Second", key="second", on_change=uncut(keep) if st.session_state.get("safe") else keep)


@pytest.mark.parametrize("how", ["the next run", "a lost connection"])
@pytest.mark.parametrize("safe", [True, False])
def test_nothing_interrupts_a_callback_that_must_not_be_cut_short(how: str, safe: bool):
    app = AppTest.from_function(page)
    app.session_state["safe"], app.session_state["how"] = safe, how
    kept: list[float] = []
    app.session_state["kept"] = kept
    app.run()
    app.number_input(key="first").set_value(1.0)
    app.number_input(key="second").set_value(2.0)
    app.run()
    # what is not protected is lost: the day Streamlit keeps it, this module can go
    assert kept == ([2.0] if safe else [])


def test_the_next_run_is_not_forgotten():
    app = AppTest.from_function(page)
    app.session_state["safe"] = True
    app.run()
    app.number_input(key="first").set_value(1.0)
    app.number_input(key="second").set_value(2.0)
    app.run()
    assert not app.exception
    assert app.session_state["kept"] == [2.0]
    app.number_input(key="second").set_value(3.0)
    app.run()
    assert app.session_state["kept"] == [2.0, 3.0]


def test_every_callback_of_the_pages_is_uncut():
    """But those that Streamlit has itself, and those that do nothing."""
    trees = [ast.parse(path.read_text()) for path in PAGES]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    safe = {
        node.name
        for node in nodes
        if isinstance(node, ast.FunctionDef) and "uncut" in map(ast.unparse, node.decorator_list)
    }
    given = [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg in CALLBACKS]
    named = {ast.unparse(value) for value in given if not isinstance(value, ast.Constant)}
    assert named - safe == {"st.logout", "st.login"}
    assert {"act", "_train", "_press", "_remove", "_take", "_enter", "changed"} <= safe
