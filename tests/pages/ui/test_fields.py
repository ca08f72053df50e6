"""A mistake counts as long as its field is on the page, whatever became of the last page run."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import drawn

TITLE, WRONG, RIGHT = "Rounds", 99999, 18


def page() -> None:
    """What is wrong is shown above the field; the browser's next request may come in before that is drawn."""
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx
    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

    from ldp_core.limits import ROUNDS
    from pages.parts.ui.fields import mistakes, whole
    from pages.parts.ui.workspace import open_workspace

    workspace = open_workspace("train")
    st.text("; ".join(mistakes(workspace)))
    if st.session_state.pop("interrupted", False):
        context = get_script_run_ctx()
        assert context is not None
        assert context.script_requests is not None
        context.script_requests.request_rerun(RerunData(page_script_hash=context.page_script_hash))
    if st.session_state.get("drawn", True):
        whole(workspace, "rounds", "Rounds", ROUNDS, workspace.draft.base.rounds)
    st.button("Undo", on_click=workspace.undo)


def typed(app: AppTest, rounds: int) -> str:
    next(field for field in app.number_input if field.label == TITLE).set_value(rounds)
    app.run()
    assert not app.exception
    return app.text[0].value


@pytest.fixture
def app(runs_dir: Path) -> AppTest:
    return drawn(page)


@pytest.mark.parametrize("interrupted", [False, True])
def test_mistake_is_shown_after_an_interrupted_run(app: AppTest, interrupted: bool):
    app.session_state["interrupted"] = interrupted
    assert str(WRONG) in typed(app, WRONG)
    assert typed(app, RIGHT) == ""


def test_mistake_is_forgotten_with_its_field(app: AppTest):
    assert str(WRONG) in typed(app, WRONG)
    app.session_state["drawn"] = False
    app.run()
    app.run()
    assert app.text[0].value == ""


def test_undo_clears_the_mistake_and_the_field(app: AppTest):
    before = app.number_input[0].value
    assert typed(app, RIGHT) == ""
    assert str(WRONG) in typed(app, WRONG)
    app.button[0].click().run()
    assert (app.text[0].value, app.number_input[0].value) == ("", before)
