"""Clients speaks only of what can be done there."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core import presets
from ldp_core.runs.record import drafts
from tests.conftest import ROOT
from tests.runs.processes import PATIENCE_SECONDS

DRAFT = presets.get("two_volunteers").draft
EVERYBODY = {"count": 200, "epsilon": [0.5 + i / 100 for i in range(200)]}


@pytest.mark.parametrize(("clients", "dots"), [({"count": 200}, True), (EVERYBODY, False)])
def test_dots_are_spoken_of_where_there_are_any(
    clients: dict[str, object], dots: bool, runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # a page by itself knows no other
    app = AppTest.from_file(str(ROOT / "pages" / "clients.py"), default_timeout=PATIENCE_SECONDS)
    app.query_params["draft"] = drafts.new(DRAFT.with_base({"clients": clients}))
    app.run()
    assert not app.exception
    assert "In a cell, Enter leads" in app.title[0].help
    assert ("Drag a dot" in app.title[0].help) is dots


def test_what_an_image_becomes_is_drawn_with_what_is_assumed_public(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)
    app = AppTest.from_file(str(ROOT / "pages" / "clients.py"), default_timeout=PATIENCE_SECONDS)
    app.query_params["draft"] = drafts.new(DRAFT.with_base({"features.name": "dct", "features.side": 5}))
    app.run()
    assert not app.exception
    assert any("turns its image into 24 numbers" in one.value for one in app.markdown)
    (assumed,) = (one.value for one in app.caption if one.value.startswith("Assumed public"))
    assert "not pixels" in assumed
