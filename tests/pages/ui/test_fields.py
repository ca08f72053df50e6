"""A mistake counts as long as its field is on the page, whatever became of the last page run."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core import presets
from ldp_core.runs.carry import as_link
from ldp_core.runs.record import drafts
from pages.parts.ui import job_actions
from tests.pages.conftest import drawn
from tests.runs.processes import PATIENCE_SECONDS

TITLE, WRONG, RIGHT = "Rounds", 99999, 18


def page_with_field() -> None:
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
    return drawn(page_with_field)


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


OTHER = presets.get("half_and_half").draft.with_base({"rounds": 7})


def train_page() -> None:
    from pages.parts.ui.workspace import open_workspace

    open_workspace("train")


def opened_by(parameter: str, value: str) -> AppTest:
    """The page by an address that has one parameter, which is gone once it is read."""
    app = AppTest.from_function(train_page, default_timeout=PATIENCE_SECONDS)
    app.query_params[parameter] = value
    app.run()
    assert not app.exception
    assert parameter not in app.query_params
    return app


@pytest.mark.parametrize(
    ("settings", "draft", "words"),
    [
        (as_link(OTHER), OTHER, "This is your own copy"),
        (as_link(OTHER)[:-20], presets.get(presets.names()[0]).draft, "cut short or changed on its way"),
    ],
)
def test_settings_link_opens_as_an_own_draft(runs_dir: Path, settings: str, draft: object, words: str):
    app = opened_by("settings", settings)
    assert words in app.toast[0].value
    assert drafts.load("".join(app.query_params["draft"])) == draft


@pytest.mark.parametrize(("scenario", "opened"), [("half_and_half", "half_and_half"), ("<b>half", "")])
def test_a_scenario_opens_by_its_name(runs_dir: Path, scenario: str, opened: str):
    app = opened_by("scenario", scenario)
    draft = presets.get(opened or presets.names()[0]).draft
    assert drafts.load("".join(app.query_params["draft"])) == draft
    assert [one.value.startswith("There is no scenario") for one in app.toast] == [True] * (not opened)


@pytest.mark.parametrize(("mechanism", "opened"), [("duchi", "duchi"), ("<b>duchy", "piecewise")])
def test_a_mechanism_opens_by_its_name(runs_dir: Path, mechanism: str, opened: str):
    app = opened_by("mechanism", mechanism)
    draft = drafts.load("".join(app.query_params["draft"]))
    assert draft and draft.base.mechanism.name == opened
    assert ["duchy" in one.value for one in app.toast] == [True] * (opened != mechanism)


def refusing_page() -> None:
    """A part that draws itself again and again, as the list of runs does."""
    import streamlit as st

    from ldp_core.errors import NotNow
    from pages.parts.ui.job_actions import act, lasting_refusal

    def refused(identity: str, who: object) -> None:
        raise NotNow(f"{identity} is pinned")

    st.button("Delete", key="delete", on_click=act, args=(refused, "this one"))
    st.button("Pin", key="pin", on_click=act, args=(lambda identity, who: None, "that one"))
    lasting_refusal()


def test_refusal_lasts_until_read_or_another_action(monkeypatch: pytest.MonkeyPatch):
    app = drawn(refusing_page)
    assert not app.error
    app.button(key="delete").click().run()
    for _ in range(3):
        assert [one.value for one in app.error] == ["this one is pinned"]
        app.run()
    app.button(key="pin").click().run()
    assert not app.error
    app.button(key="delete").click().run()
    assert app.error
    monkeypatch.setattr(job_actions, "READ_SECONDS", 0.0)
    app.run()
    assert not app.error
