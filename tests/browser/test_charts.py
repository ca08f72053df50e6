"""Charts as they are drawn: labels beside the lines where there is room, else a legend below."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import visiting
from tests.browser.server import Server

LEGENDS = ".es-chart .legend"
BELOW = """() => Math.max(...[...document.querySelectorAll(".es-chart.js-plotly-plot")]
    .map((chart) => chart._fullLayout._size.b))"""
TITLED = 60.0
"""Pixels below a plot that hold its axis and nothing else."""


def below(page: Page) -> float:
    """The most room that a chart on the page leaves below its plot, in pixels."""
    page.wait_for_function("() => !document.querySelector('.es-chart:not(.js-plotly-plot)')")
    return float(page.evaluate(BELOW))


@pytest.fixture(scope="module")
def page(profile: BrowserContext, server: Server) -> Iterator[Page]:
    with visiting(profile, server) as visitor:
        yield visitor.open("/noise", ".es-chart.js-plotly-plot")
    assert visitor.complaints == visitor.foreign == []


def test_a_legend_that_is_gone_leaves_no_room_behind(page: Page):
    page.set_viewport_size({"width": 330, "height": 900})
    expect(page.locator(LEGENDS).first).to_be_attached()
    assert below(page) > TITLED
    page.set_viewport_size({"width": 1400, "height": 900})
    expect(page.locator(LEGENDS)).to_have_count(0)
    assert below(page) <= TITLED


AGAIN = """async () => {
  const { render, unmount } = await import("/assets/web/cards.js");
  const layout = { xaxis: {}, yaxis: {} };
  const figure = JSON.stringify({ data: [{ type: "scatter", x: [1, 2], y: [1, 2] }], layout });
  const data = { cards: [{ title: "", rest: "", caption: "", figure, height: 200, label: "", row: 1 }] };
  const parentElement = document.body.appendChild(document.createElement("div"));
  const drawn = async () => {
    const chart = parentElement.querySelector(".es-chart");
    await new Promise((resolve) => setTimeout(resolve));
    await chart.drawing;
    return chart.querySelectorAll(".main-svg").length > 0;
  };
  render({ data, parentElement });
  const first = await drawn();
  unmount({ parentElement });
  render({ data, parentElement });
  return [first, await drawn()];
}"""


def test_a_chart_that_was_taken_off_the_page_is_drawn_again_with_the_same_data(page: Page):
    """As it happens where a slider is moved faster than the page follows."""
    assert page.evaluate(AGAIN) == [True, True]
