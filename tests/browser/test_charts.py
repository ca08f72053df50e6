"""Charts as they are drawn: labels beside the lines where there is room, else a legend below."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor

LEGENDS = ".es-chart .legend"
BELOW = """() => Math.max(...[...document.querySelectorAll(".es-chart.js-plotly-plot")]
    .map((chart) => chart._fullLayout._size.b))"""
TITLED = 60.0
"""Pixels below a plot that hold its axis and nothing else."""


def below(page: Page) -> float:
    """The most room that a chart on the page leaves below its plot, in pixels."""
    page.wait_for_function("() => !document.querySelector('.es-chart:not(.js-plotly-plot)')")
    return float(page.evaluate(BELOW))


def test_a_legend_that_is_gone_leaves_no_room_behind(visitor: Visitor):
    page = visitor.open("/noise", ".es-chart.js-plotly-plot")
    page.set_viewport_size({"width": 330, "height": 900})
    expect(page.locator(LEGENDS).first).to_be_attached()
    assert below(page) > TITLED
    page.set_viewport_size({"width": 1400, "height": 900})
    expect(page.locator(LEGENDS)).to_have_count(0)
    assert below(page) <= TITLED
