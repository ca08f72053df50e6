"""Pages hold for experiments of every trust."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core.experiment import parse_draft
from ldp_core.runs.record import drafts
from tests.conftest import ROOT
from tests.runs.processes import PATIENCE_SECONDS

BASE = {"clients": {"epsilon": 2.0, "epsilon_scope": "run", "range": 0.1}, "target": "update"}
KINDS = ("shuffled", "secure_sum", "central")


@pytest.mark.parametrize("page", ["clients", "noise", "train", "attack"])
def test_pages_open_with_each_trust(page: str, runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # a page by itself knows no other
    for kind in KINDS if page == "clients" else KINDS[1:2]:
        variants = [{"label": one, "set": {"trust.kind": one}} for one in (kind, "local")]
        app = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=PATIENCE_SECONDS)
        app.query_params["draft"] = drafts.new(parse_draft({"base": BASE, "variants": variants}))
        app.run()
        assert not app.exception
