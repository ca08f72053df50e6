"""What a visitor does is done in its order: no page run begins beside the callback of the one before."""

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.browser.server import Server
from tests.conftest import ROOT
from tests.server.conftest import Visit

PAGE = """
import time
from pathlib import Path

import streamlit as st

KEPT = Path("kept")


def reset():
    Path("began").touch()
    while not Path("goes on").exists():
        time.sleep(0.01)
    KEPT.write_text("prepared")


st.button("Reset", on_click=reset)
st.markdown(KEPT.read_text())
"""


@pytest.mark.anyio
async def test_callback_finishes_before_the_next_draw(tmp_path: Path, visit: Visit):
    """Else the page would show for good what its draft no longer holds."""
    place = tmp_path / "page"
    shutil.copytree(ROOT / ".streamlit", place / ".streamlit")
    (place / "app.py").write_text(PAGE)
    (place / "kept").write_text("edited")
    with Server(tmp_path / "runs", place) as server:
        viewer = await visit(server.url)
        pressed = viewer.widgets["Reset"]
        viewer.states[pressed] = "trigger_value", True
        await viewer.ask()
        del viewer.states[pressed]
        while not (place / "began").exists():
            await asyncio.sleep(0.01)
        await viewer.ask()
        await asyncio.sleep(0.3)  # in which it would be drawn, if it could be
        (place / "goes on").touch()
        await viewer.rerun()
    assert viewer.written == ["edited", "prepared"]
