"""What the browser draws while a hand moves is what Python draws there."""

from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from ldp_core import mechanisms, presets
from ldp_core.experiment import Draft, Variant
from ldp_core.runs.view.styles import styles
from pages.parts.charts import density
from pages.parts.noise.ahead import ahead, laws
from pages.parts.noise.designs import Design
from pages.parts.noise.what_if import standing
from pages.parts.ui.text import number
from tests.browser.conftest import Visitor, at_rest

ONCE = 50_000
"""Bytes: what follows at every budget is more than that, and everything else is less."""
DESIGNS = (("hybrid", "privunit", "harmony"), ("laplace", "grr", "ldpsign"))
"""Of several shapes along a slider, of a narrow peak, of one weight of many, of many atoms."""

SPELL = """async ([laws, places]) => {
  const { spelled } = await import("/assets/web/law_decoding.js");
  const { render } = await import("/assets/web/ahead.js");
  const { live } = await import("/assets/web/live.js");
  const { ahead, place } = live;
  Object.assign(live, { ahead: {}, place: null });
  render({ data: JSON.parse(laws) });
  const found = places.map((at) => live.ahead.epsilon.step(at).cards.map(({ rest, caption, figure }) => {
    const { data, layout } = spelled(figure);
    const lines = data.map(({ x, y, name }) => [name, x.map(String), y.map(String)]);
    return [rest, caption, lines, layout.annotations.map(({ text }) => text), layout.xaxis.range];
  }));
  Object.assign(live, { ahead, place });
  return found;
}"""
"""What is computed ahead along the budget, at some of its places."""

HEAR = """() => {
  window.__said = [];
  const read = (place) => document.querySelector(place).textContent;
  document.addEventListener("input", ({ target }) => {
    const words = target.getAttribute("aria-valuetext");
    window.__said.push([words, read(".es-cards .es-caption"), read(".es-rest-of-title")]);
  });
}"""
"""Notes what the page says while a movement is still being sent: no server can have answered by then."""

WRITE = """async ([shown, beside]) => {
  const { label } = await import("/assets/web/labels.js");
  const chart = document.querySelector(".es-cards .js-plotly-plot");
  const font = { size: 12, color: "red" };
  const [x, y] = [0, chart._fullLayout.yaxis.range[1] / 2];
  const over = { text: "50 % at 1", xanchor: "center", yanchor: "bottom", font };
  const end = { xref: "paper", yref: "paper", x: 1.01, text: "mean", xanchor: "left", yanchor: "middle" };
  const likely = shown.map(([at, name]) => ({ ...over, x: x + at, y, name }));
  const ends = beside.map((y) => ({ ...end, y, font }));
  label(chart, [...likely, ...ends], []);
  const words = [...chart.querySelectorAll(".es-labels text")];
  const seen = words.slice(0, shown.length).map((node) => node.style.display !== "none");
  return [seen, words.slice(shown.length).map((node) => Number(node.getAttribute("y")))];
}"""
"""Writes over the first chart: annotations with their names at places of its axis, and others beside it."""


def spell(page: Page, names: tuple[str, ...]) -> None:
    """Hold what the browser makes of laws that were computed ahead against figures of as many points."""
    variants = tuple(Variant(name, {"mechanism": name}) for name in names)
    draft = Draft(presets.get("two_volunteers").draft.base, variants)
    rows = zip(draft.variants, draft.experiments(), styles(draft), strict=True)
    now = standing(shown := [Design(i, *row) for i, row in enumerate(rows)], {"first": 0}, {})
    places = [0, 20, 40, len(now.sliders["epsilon"].steps) - 1]
    result = page.evaluate(SPELL, [ahead(now, shown).decode(), places])
    for at, cards in zip(places, result, strict=True):
        for theirs, card in zip(cards, laws(now.at("epsilon", at)), strict=True):
            rest, caption, lines, notes, across = theirs
            assert (rest, caption) == (card.rest, card.caption)
            layout, data = card.figure["layout"], card.figure["data"]
            assert notes == [note["text"] for note in layout["annotations"]]
            assert across == pytest.approx(layout["xaxis"]["range"], rel=1e-5)
            wide = across[1] - across[0]
            for (name, x, y), line in zip(lines, data, strict=True):
                assert name == line["name"]
                np.testing.assert_allclose(np.array(x, float), line["x"], rtol=0, atol=1e-5 * wide)
                np.testing.assert_allclose(
                    np.array(y, float), line["y"], rtol=0, atol=3e-4 * np.nanmax(line["y"])
                )


def test_browser_draws_the_servers_laws_while_dragged(visitor: Visitor, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(density, "POINTS", density.MOVING)
    sent: list[int] = []
    heard = lambda socket: socket.on("framereceived", lambda frame: sent.append(len(frame)))  # noqa: E731
    visitor.page.on("websocket", heard)
    page = visitor.open("/noise")
    for names in DESIGNS:
        spell(page, names)

    # of words that would cover each other the first is read, unless they must be; those beside move apart
    wide, last = 6.0, "yields"
    shown = [[0.0, last], [0.3, last], [0.6, None], [wide, last]]
    seen, heights = page.evaluate(WRITE, [shown, [0.5, 0.51, 0.505, 0.9]])
    assert seen == [True, False, True, True]
    ordered = sorted(heights)
    assert min(below - above for above, below in pairwise(ordered)) >= 13
    assert heights[3] == ordered[0], "what is far from all others stays on top"

    # where the hand moves nothing is asked of the server, and where it rests that says the same
    live = "(await import('/assets/web/live.js')).live"

    def until(state: str) -> None:  # Playwright's own waits for no promise
        page.evaluate(f"async () => {{ while (!({state})) await new Promise((on) => setTimeout(on, 20)); }}")

    until(f"{live}.ahead.epsilon")
    slider = page.get_by_role("slider", name="Budget ε")
    rows, head = page.locator(".es-verdict-figures"), page.locator(".es-cards .es-head").first
    slider.evaluate(
        "(input) => { input.value = 60; input.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    expect(page.locator(".es-rest-of-title").first).to_contain_text("asked for ε 6")
    assert page.evaluate(f"async () => {live}.place.epsilon.value") == 6
    moved = [head.inner_text(), *rows.all_inner_texts()]
    assert max(sent) > ONCE
    sent.clear()
    slider.evaluate("(input) => input.dispatchEvent(new Event('change', {bubbles: true}))")
    expect(page.get_by_text("if all 18 clients with ε 0.5 asked for ε 6")).to_be_visible()
    until(f"!{live}.place")
    # what was computed ahead does not come again, and is kept
    at_rest(page)
    assert page.evaluate(f"async () => {live}.ahead.epsilon.step(0).verdicts.rows.length") == 3
    assert sent and max(sent) < ONCE
    assert [head.inner_text(), *rows.all_inner_texts()] == moved

    # the range too, by key: what follows along it comes when a hand is near, and is of the budget now
    ranges = page.get_by_role("slider", name="Safe range ±τ")
    assert not page.evaluate(f"async () => {live}.ahead.tau"), "no hand was near it"
    ranges.focus()
    until(f"{live}.ahead.tau")
    at_rest(page)
    assert ranges.get_attribute("aria-valuetext") == "1"
    page.evaluate(HEAR)
    for _ in range(3):
        ranges.press("ArrowLeft")
    said = page.evaluate("window.__said")
    assert len(said) == 3
    for words, caption, rest in said:
        tau = float(words)
        assert tau < 1
        variance = number(float(mechanisms.get("piecewise").variance(0.2, 6.0, -tau, tau)))
        assert caption.startswith(f"variance {variance}, σ")
        assert f"the other end of ±{words} (shaded)" in caption
        asks = "all 20 clients with a safe range of ±1 for"
        assert rest == f", if all 18 clients with ε 0.5 asked for ε 6 per weight, and {asks} ±{words}"
    chart = page.locator(".es-cards .js-plotly-plot").first
    page.wait_for_timeout(300)
    name = chart.evaluate("async (chart) => { await chart.drawing; return chart._fullData[0].name; }")
    assert name == f"if it were −{said[-1][0]}"
    until(f"!{live}.place")
    at_rest(page)
    caption = page.locator(".es-cards .es-caption").first.inner_text()
    assert [caption, page.locator(".es-rest-of-title").inner_text()] == said[-1][1:], (
        "the server says the same"
    )
    expect(page.get_by_role("slider", name="Its weight")).to_have_attribute("aria-valuetext", "0.2")
