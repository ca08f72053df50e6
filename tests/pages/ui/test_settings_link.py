"""A link that holds the settings themselves opens as a copy of one's own; a broken one says so."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core import presets
from ldp_core.runs.carry import as_link
from ldp_core.runs.record import drafts
from tests.runs.processes import PATIENCE_SECONDS

OTHER = presets.get("half_and_half").draft.with_base({"rounds": 7})


def page() -> None:
    from pages.parts.ui.workspace import open_workspace

    open_workspace("train")


def opened_by(parameter: str, value: str) -> AppTest:
    """The page by an address that has one parameter, which is gone once it is read."""
    app = AppTest.from_function(page, default_timeout=PATIENCE_SECONDS)
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
