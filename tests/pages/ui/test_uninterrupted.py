"""A callback runs to its end, though the browser has asked for the next run, or has gone, meanwhile."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest

from ldp_core import presets
from ldp_core.runs import jobs
from ldp_core.runs.record import drafts
from tests.conftest import ROOT
from tests.pages.conftest import drawn
from tests.runs.processes import PATIENCE_SECONDS

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
def test_protected_callback_is_not_interrupted(how: str, safe: bool):
    kept: list[float] = []
    app = drawn(page, safe=safe, how=how, kept=kept)
    app.number_input(key="first").set_value(1.0)
    app.number_input(key="second").set_value(2.0)
    app.run()
    # what is not protected is lost: the day Streamlit keeps it, this module can go
    assert kept == ([2.0] if safe else [])
    if safe and how == "the next run":  # which is not forgotten
        app.number_input(key="second").set_value(3.0)
        app.run()
        assert not app.exception
        assert app.session_state["kept"] == [2.0, 3.0]


def page_with_a_button() -> None:
    """A button above a field: of what comes in one request, Streamlit hears of the upper one first."""
    import streamlit as st

    from pages.parts.ui.memory import tab
    from pages.parts.ui.uninterrupted import pressed, uncut

    def launch() -> None:
        st.session_state["launched"] = st.session_state["kept"]

    def keep() -> None:
        st.session_state["kept"] = st.session_state["rounds"]

    st.session_state.setdefault("kept", 15.0)
    st.button("Train", key="train", on_click=pressed(launch) if st.session_state["safe"] else launch)
    st.number_input("Rounds", key="rounds", value=15.0, on_change=uncut(keep))
    tab().page.keepers["rounds"] = "rounds", keep


@pytest.mark.parametrize(("safe", "rounds"), [(True, 400.0), (False, 15.0)])
def test_button_uses_fields_typed_before_the_press(safe: bool, rounds: float):
    app = drawn(page_with_a_button, safe=safe)
    app.number_input(key="rounds").set_value(400.0)
    app.button(key="train").click()
    app.run()
    # the unprotected one launches what stood there before: the day Streamlit orders them, this can go
    assert app.session_state["launched"] == rounds


@pytest.mark.parametrize(("path", "kind"), [("attack", "attack"), ("tune", "sweep")])
def test_pressed_launch_happens_once(path: str, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The browser asks for the next run of the page while the job goes into the queue."""
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(tmp_path))
    identity = drafts.new(presets.get(presets.names()[0]).draft)
    launched = list[object]()

    def disturbed(*given: object, **_: object) -> None:
        launched.append(given)
        if len(launched) > 1:
            return
        context = get_script_run_ctx()
        assert context is not None
        assert context.script_requests is not None
        context.script_requests.request_rerun(RerunData(page_script_hash=context.page_script_hash))

    monkeypatch.setattr(jobs, "launch", disturbed)
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # a page by itself knows no other
    app = AppTest.from_file(str(ROOT / "pages" / f"{path}.py"), default_timeout=PATIENCE_SECONDS)
    app.query_params["draft"] = identity
    app.session_state["launch pressed"] = identity, kind
    app.run()
    assert not app.exception
    assert len(launched) == 1


def test_page_callbacks_are_uninterruptible():
    """But those that Streamlit has itself, and those that do nothing."""
    given, protected = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for node in (node for path in PAGES for node in ast.walk(ast.parse(path.read_text()))):
        if isinstance(node, ast.keyword) and not isinstance(node.value, ast.Constant) and node.arg:
            if node.arg in CALLBACKS:
                given[node.arg].add(ast.unparse(node.value))
        elif isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                protected[ast.unparse(decorator)].add(node.name)
    buttons = {name for name in given["on_click"] if not name.startswith("pressed(")}
    others = given["on_change"] | given["on_select"]
    assert buttons - protected["pressed"] == {"st.logout", "st.login"}
    assert others <= protected["uncut"]
    assert {"act", "_train", "_press", "_delete"} <= buttons
    assert {"_take", "_enter"} <= others
    assert "changed" in protected["uncut"]
