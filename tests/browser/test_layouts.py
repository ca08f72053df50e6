"""Pages look as they did when they were approved, from so far away that no letter can be read."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.browser.layouts import FOLDER, MOST, OTHERWISE, SHOWN, VIEWS, as_it_was, kept, opened
from tests.browser.server import Server
from tests.extent import in_gate


@pytest.mark.parametrize("view", in_gate(["clients-wide"], [*VIEWS]))
def test_page_matches_its_stored_layout(view: str, browser: Browser, server: Server):
    as_it_was(view, opened(browser, server, view))


def test_another_page_is_distinguished():
    """No stored view passes for another one of its size, and each is looked at by the tests named for it."""
    views = {view: kept(view) for view in (*VIEWS, *SHOWN)}
    pairs = [(one, other) for one, other in combinations(views, 2) if views[one].shape == views[other].shape]
    assert len(pairs) >= 10
    alike = [
        pair for pair in pairs if (np.abs(views[pair[0]] - views[pair[1]]) > OTHERWISE).mean() <= 2 * MOST
    ]
    assert alike == []
    for view, file in SHOWN.items():
        assert f'"{view}"' in (Path(__file__).parent / file).read_text(encoding="utf-8")
    assert {file.stem for file in FOLDER.glob("*.png")} == {*VIEWS, *SHOWN}
    assert sum(file.stat().st_size for file in FOLDER.glob("*.png")) < 300_000
