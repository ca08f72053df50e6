"""Charts as they are drawn: labels beside the lines where there is room, else a legend below."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from ldp_core import presets
from pages.parts.watch.headline import promised
from tests.browser.conftest import Another, at_rest, visiting
from tests.browser.server import Server, without_worker
from tests.extent import in_gate

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
        yield visitor.open("/noise")
    assert visitor.complaints == visitor.foreign == []


def test_a_legend_that_is_gone_leaves_no_room_behind(page: Page):
    page.set_viewport_size({"width": 330, "height": 900})
    expect(page.locator(LEGENDS).first).to_be_attached()
    assert below(page) > TITLED
    page.set_viewport_size({"width": 1400, "height": 900})
    expect(page.locator(LEGENDS)).to_have_count(0)
    assert below(page) <= TITLED


RANGES = """() => [...document.querySelectorAll(".js-plotly-plot")].map(
    (chart) => [chart._fullLayout.xaxis.range, chart._fullLayout.yaxis.range])"""
TOP = "document.querySelector('[data-testid=stMain]').scrollTop"


def test_swipe_over_a_chart_scrolls_the_page(another: Another):
    phone = another(viewport={"width": 390, "height": 664}, has_touch=True, is_mobile=True)
    page = phone.open("/train")
    chart = page.locator(".es-accuracy .js-plotly-plot")
    chart.scroll_into_view_if_needed()
    at_rest(page)
    below(page)  # or what is drawn below may take its place yet
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    before, ranges = page.evaluate(TOP), page.evaluate(RANGES)
    finger = phone.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for kind, moved in [("touchStart", 0), *[("touchMove", 15 * step) for step in range(1, 9)]]:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y - moved}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(f"(before) => {TOP} > before + 60", arg=before)
    assert page.evaluate(RANGES) == ranges


INKS = """() => {
  const drawn = document.querySelectorAll(".js-plotly-plot :is(text, tspan, path, line, circle, rect)");
  const looks = [...drawn].map((node) => getComputedStyle(node));
  return [...new Set(looks.flatMap(({ fill, stroke }) => [fill, stroke]))].sort().join();
}"""


def test_charts_follow_system_and_menu_colour_scheme(another: Another, tmp_path: Path):
    """By the system at dusk, or by hand in Streamlit's menu: as in a page that was opened in that scheme."""
    with Server(without_worker(tmp_path / "runs"), STREAMLIT_CLIENT_TOOLBAR_MODE="viewer") as there:
        person = another(there)
        page = person.page

        def opened(address: str, scheme: Literal["light", "dark"]) -> str:
            page.emulate_media(color_scheme=scheme)
            person.open(address, ".js-plotly-plot")
            at_rest(page)
            below(page)
            found = ""
            while found != (now := str(page.evaluate(INKS))):
                found = now
                page.wait_for_timeout(300)  # in which what is drawn last comes
            return found

        for address in in_gate(("/train",), ("/noise", "/clients", "/train")):
            dark, light = opened(address, "dark"), opened(address, "light")
            assert dark != light
            page.emulate_media(color_scheme="dark")
            page.wait_for_function(f"(inks) => ({INKS})() === inks", arg=dark, polling=200)
            page.get_by_test_id("stMainMenuButton").click()
            page.get_by_role("menuitemradio", name="Light").click()
            page.wait_for_function(f"(inks) => ({INKS})() === inks", arg=light, polling=200)
            page.evaluate("localStorage.clear()")
        page.close()


CUT = """async (scenarios) => {
  const { render } = await import("/assets/web/panels.js");
  const parentElement = document.querySelector(".es-panels").parentElement;
  const figure = JSON.stringify({ data: [], layout: { xaxis: {}, yaxis: {}, margin: {} } });
  const plot = { title: "", subtitle: "", figure, label: "" };
  const image = { shape: [1, 1], pixels: "AA==" };
  return scenarios.flatMap(({ labels, chips }) => {
    const columns = ["image", ...labels, "average of all"];
    const cells = columns.map(() => ({ image, captions: ["100.0 dB"] }));
    const rows = [{ name: "", budget: "", verdict: "", cells }];
    const server = { title: "", subtitle: "", empty: "", columns, rows, steps: [] };
    render({ data: { head: { line: [], chips }, accuracy: plot, noise: plot, server }, parentElement });
    const words = [...document.querySelectorAll(".es-cell .es-caption span, .es-chip > span")];
    const cut = (node) => node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight + 1;
    return words.filter(cut).map((node) => node.textContent);
  });
}"""


def test_no_scenarios_labels_are_cut(another: Another):
    """Cut to one word, two of them would be the same."""
    scenarios = []
    for draft in (presets.get(name).draft for name in presets.names()):
        labels = [variant.label for variant in draft.variants]
        pieces = [piece for label in labels[:3] for piece in ((f"{label} 100 %", 0), (" · ", None))]
        accuracy = {"name": "Accuracy", "pieces": pieces, "rest": "on held-out samples, mean of 3 seeds"}
        scenarios.append({"labels": labels[:3], "chips": [accuracy, accuracy, promised(draft)]})
    page = another().open("/train")
    for width in (1366, 1920, 390):
        page.set_viewport_size({"width": width, "height": 900})
        at_rest(page)
        assert page.evaluate(CUT, scenarios) == []
