"""Pages look as they did when somebody looked at them, from so far away that no letter can be read."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.browser.layouts import VIEWS, kept, taken
from tests.browser.server import Server
from tests.extent import in_gate

OTHERWISE = 0.12
"""Greys that differ by more than this are told apart; letters of another font differ by less."""
MOST = 0.04
"""The share of a page that may be otherwise: a line that wraps, a card that is a row taller."""


def otherwise(view: str, browser: Browser, server: Server) -> float:
    return float((np.abs(taken(browser, server, view) - kept(view)) > OTHERWISE).mean())


@pytest.mark.parametrize("view", in_gate(["clients-wide"], [*VIEWS]))
def test_a_page_looks_as_it_did(view: str, browser: Browser, server: Server):
    share = otherwise(view, browser, server)
    assert share <= MOST, (
        f"{share:.0%} of {view} looks otherwise: look at it, and if it is as you want it, "
        "python -m tests.browser.layouts"
    )


def test_another_page_is_told_apart():
    """The comparison has teeth: no stored view passes for another one of its size."""
    wide = [kept(view) for view in VIEWS if view.endswith("wide") and VIEWS[view][1] == (1440, 896)]
    pairs = [(a, b) for n, a in enumerate(wide) for b in wide[n + 1 :]]
    assert len(pairs) >= 3
    assert all((np.abs(a - b) > OTHERWISE).mean() > 2 * MOST for a, b in pairs)
