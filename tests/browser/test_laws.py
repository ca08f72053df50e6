"""What the browser computes while a hand moves is what Python computes, to twelve digits."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from playwright.sync_api import expect

from ldp_core import mechanisms
from ldp_core.mechanisms import Mechanism, Use
from pages.parts.noise.designs import around
from pages.parts.noise.live_law import is_live, live_law
from pages.parts.ui.text import number
from tests.browser.conftest import Visitor, at_rest
from tests.extent import in_gate

EPSILONS = (1e-3, 0.1, 0.5, 0.6093, 0.61, 1.0, 2.0, 4.0, 8.0, 20.0, 64.0)
RANGES = ((-1.0, 1.0), (-0.1, 0.1), (-0.5, 2.0))
STEP = in_gate(len(RANGES), 1)
"""The gate asks for each budget in one of the ranges, by hand all are asked for in each."""
HALVES = (None, 0.02, 0.7, 5.0)
"""Half widths of the safe range that are asked for; None: the client's own."""
OWN = 0.9
"""The client's own ε."""
CLOSE = 1e-12
ONCE = 30_000
"""Bytes: the verdicts at every budget are more than that, and everything else is less."""

ASK = """async ([laws, epsilons, cases]) => {
  const { lawOf } = await import("/assets/web/laws.js");
  const { asked } = await import("/assets/web/law.js");
  const { number } = await import("/assets/web/numbers.js");
  const figures = cases.map(([law, value, at, half, outputs]) => {
    const budget = { at, value: epsilons[at], own: at === null };
    const tau = { value: half, own: half === null };
    const [on, epsilon] = asked(laws[law], { epsilon: budget, tau });
    const found = lawOf(on, value, epsilon);
    const finite = found.edges.filter(Number.isFinite);
    return [found.variance, ...found.atoms.flat(), ...finite, ...outputs.map(found.density)];
  });
  return [figures, figures.map((one) => number(one[0]))];
}"""


HEAR = """() => {
  window.__said = [];
  const read = (place) => document.querySelector(place).textContent;
  document.addEventListener("input", ({ target }) => {
    const words = target.getAttribute("aria-valuetext");
    window.__said.push([words, read(".es-cards .es-caption"), read(".es-rest-of-title")]);
  });
}"""
"""Notes what the page says while a movement is still being told of: no server can have answered by then."""

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


def drawn() -> list[Mechanism]:
    """All whose law the browser knows, in both forms."""
    use = Use(dimension=650, rounds=15, round=3, samples=72)
    every = [mechanisms.get(name).fitted(use) for name in mechanisms.registry.labels()]
    gaussian, own = mechanisms.get("gaussian"), {"sensitivity": 0.3}
    every += [gaussian.model_copy(update={"calibration": name}) for name in ("classical", "paper001")]
    every += [gaussian.for_uploads().fitted(use), gaussian.model_copy(update=own)]
    every += [one.fitted(Use(dimension=2)) for one in every if one.name in ("harmony", "privunit")]
    every.append(gaussian.model_copy(update={"norm": 0.6}))
    every += [one.model_copy(update={"sensitivity": 0.3}) for one in every if one.name == "ldpsign"]
    every.append(mechanisms.get("dynamic_gaussian").model_copy(update=own))
    forms = [one.formed(form) for one in every for form in one.forms]
    return [one for one in forms if is_live(one)]


def exact(one: Mechanism, value: float, epsilon: float, low: float, high: float) -> tuple[Any, Any]:
    """The figures that the browser is asked for, and at which outputs it is asked for the density."""
    atoms, edges = one.at(epsilon, low, high).atoms(value), one.at(epsilon, low, high).edges(value)
    finite = edges[np.isfinite(edges)]
    sigma = float(np.sqrt(one.variance(value, epsilon, low, high)))
    outputs = value + sigma * np.array([-2.3, -0.7, 0.01, 0.9, 2.1]) if edges.size else np.empty(0)
    chance = np.exp(one.at(epsilon, low, high).marginal_log_prob(atoms, value))
    density = np.exp(one.at(epsilon, low, high).marginal_log_prob(outputs, value))
    figures = [sigma**2, *np.stack([atoms, chance], 1).ravel(), *finite, *density]
    return np.array(figures), outputs.tolist()


def test_the_browser_computes_the_same_laws_and_follows_the_hand_alone(visitor: Visitor):
    sent: list[int] = []
    heard = lambda socket: socket.on("framereceived", lambda frame: sent.append(len(frame)))  # noqa: E731
    visitor.page.on("websocket", heard)
    page = visitor.open("/noise", ".es-chart.js-plotly-plot")
    found = drawn()
    assert len({type(one).__name__ for one in found}) >= 17
    laws, cases, wanted = [], [], []
    for one in found:
        for rest, (low, high) in enumerate(RANGES):
            laws.append(live_law(one, 0, EPSILONS, (OWN, low, high), ""))
            for half in HALVES:
                whole = one.region == "ball"
                ends: tuple[float, float] = (low, high) if whole or half is None else around(low, high, half)
                asked = (
                    [(None, OWN), (4, EPSILONS[4])] if half else [*enumerate(EPSILONS)][rest % STEP :: STEP]
                )
                for value in np.linspace(*ends, 3 if half else 7).tolist():
                    for at, epsilon in asked:
                        figures, outputs = exact(one, value, epsilon, *ends)
                        wanted.append(figures)
                        cases.append([len(laws) - 1, value, at, half, outputs])
    told, _ = page.evaluate(ASK, [laws, EPSILONS, cases])
    for mine, theirs, (law, value, at, half, _) in zip(wanted, told, cases, strict=True):
        off = np.abs(mine - np.array(theirs)) / np.maximum(np.abs(mine), 1e-300)
        assert off.max() <= CLOSE, (laws[law]["name"], value, at, half, mine, theirs)

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
    rows, head = page.locator(".es-verdict-row"), page.locator(".es-cards .es-head").first
    slider.evaluate(
        "(input) => { input.value = 60; input.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    expect(head).to_contain_text("at ε 6")
    assert page.evaluate(f"async () => {live}.place.epsilon.value") == 6
    moved = [head.inner_text(), *rows.all_inner_texts()]
    assert max(sent) > ONCE
    sent.clear()
    slider.evaluate("(input) => input.dispatchEvent(new Event('change', {bubbles: true}))")
    expect(page.get_by_text("if all 18 clients with ε 0.5 asked for ε 6")).to_be_visible()
    until(f"!{live}.place")
    # what was computed ahead does not come again, and is kept
    at_rest(page)
    assert page.evaluate(f"async () => {live}.ahead.epsilon.step(0).rows.length") == 3
    assert sent and max(sent) < ONCE
    assert [head.inner_text(), *rows.all_inner_texts()] == moved

    # the range too, by key: what follows along it comes when a hand is near, and is of the budget now
    ranges = page.get_by_role("slider", name="Safe range ±τ")
    assert not page.evaluate(f"async () => {live}.ahead.tau"), "nobody was near it"
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
        assert f"the safe range, ±{words} (shaded)" in caption
        asks = "all 20 clients with a safe range of ±1 for"
        assert rest == f", if all 18 clients with ε 0.5 asked for ε 6, and {asks} ±{words}"
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
