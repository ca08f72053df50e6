"""The desk on a folder of the visitor's own: chosen at one press, in colour; what becomes of it is said."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from ldp_core import datasets, presets
from ldp_core.attacks.idlg import IDLG
from ldp_core.experiment import changed, parse
from ldp_core.runs.record import drafts
from pages.parts.attack.settings import KEPT
from pages.parts.clients.own_data import through_lenet
from tests.attacks.observed import back, observed
from tests.pages.conftest import drawn


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Slopes of colour, six of each of two kinds."""
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    slope = np.linspace(0, 255, 32, dtype=np.uint8)
    for kind, axis in (("across", 0), ("down", 1)):
        place = tmp_path / "holiday" / kind
        place.mkdir(parents=True)
        for n in range(6):
            plane = np.broadcast_to(slope if axis == 0 else slope[:, None], (32, 32))
            pixels = np.stack([plane, plane[::-1, ::-1], np.full_like(plane, 40 * n)], axis=2)
            Image.fromarray(pixels).save(place / f"{n}.png")
    return "images:holiday"


def page() -> None:
    import streamlit as st

    from ldp_core.runs.record import drafts
    from pages.parts.attack.settings import own_pictures
    from pages.parts.ui.workspace import Workspace

    draft = drafts.load(st.session_state["draft"])
    assert draft is not None
    own_pictures(Workspace(st.session_state["draft"], draft, "attack"))


def opened() -> AppTest:
    return drawn(page, draft=drafts.new(presets.get("two_volunteers").draft))


@pytest.mark.usefixtures("runs_dir")
def test_one_press_puts_ones_own_pictures_on_the_desk(mine: str):
    app = opened()
    assert KEPT not in [one.value for one in app.caption]
    app.button[0].click().run()
    assert not app.exception
    assert not app.error
    draft = drafts.load(app.session_state["draft"])
    assert draft is not None
    assert (draft.base.dataset, draft.base.model.name, draft.base.clients.count) == (mine, "lenet", 10)
    assert KEPT in [one.value for one in app.caption]
    assert app.button[0].disabled


@pytest.mark.usefixtures("runs_dir")
def test_missing_folder_shows_how_to_add_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    app = opened()
    assert not app.button
    assert "folder of PNG, JPEG or WebP images" in app.caption[0].value


def test_pictures_in_colour_form(mine: str, tmp_path: Path):
    """A slope through LeNet, without noise, seed 0: 60 steps are far ahead of 4."""
    experiment = changed(parse({}), through_lenet(mine, 2))
    seen, truth = observed(datasets.get(mine).load(tmp_path), 1, experiment.as_json())
    assert truth.shape[1:] == (3, 32, 32)
    first, later = (back(IDLG(iterations=steps), seen, truth).min() for steps in (4, 60))
    assert later > first + 4
