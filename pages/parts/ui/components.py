"""Streamlit components with own JavaScript: charts updated in place, Train's panels, the clients' table, and
more.

Their JavaScript is in `assets/web` and loaded once; updates send JSON as bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

from ldp_core.system.shipped import ASSETS
from pages.parts.ui.figure_json import Figure, typed

WEB = ASSETS / "web"

SHIM = """
// the page's own script lies beside our files, whatever prefix stands before both
const own = [...document.scripts].find((one) => one.src.includes("/static/js/"));
const root = own ? own.src.split("/static/js/")[0] : window.location.origin;
const loaded = import(`${root}/assets/web/%s`);
const read = (bytes) => JSON.parse(new TextDecoder().decode(bytes));
export default function (component) {
  loaded.then((module) => module.render({ ...component, data: read(component.data) })).catch((error) => {
    console.error(error);
    component.parentElement.textContent = "This part of the page cannot be shown. Reload the page; if it "
      + "stays so, the files below /assets do not come through to it.";
  });
  return () => loaded.then((module) => module.unmount?.(component), () => {});
}
"""


@cache
def version() -> str:
    """Digest of the JavaScript files, so that browsers cache them until one changes."""
    digest = hashlib.sha256()
    for file in sorted(WEB.glob("*.js")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def _component(name: str) -> Any:
    css = WEB / f"{name}.css"
    return st.components.v2.component(
        f"studio_{name}",
        js=SHIM % f"{name}.js?v={version()}",
        css=css.read_text(encoding="utf-8") if css.exists() else None,
        html="",
        isolate_styles=False,
    )


_chart = _component("chart")
_cards = _component("cards")
_panels = _component("panels")
_table = _component("table")
_dots = _component("dots")
_memory = _component("memory")
_ladder = _component("ladder")
_strip = _component("strip")
_verdicts = _component("verdicts")
_ahead = _component("ahead")
_outcome = _component("outcome")
_heat = _component("heat")
_runs = _component("runs")
_scale = _component("scale")
_dissolve = _component("dissolve")
_sketch = _component("sketch")
_lineup = _component("lineup")


def written(figure: Figure) -> str:
    return json.dumps(figure, default=typed, separators=(",", ":"))


def packed(data: dict[str, Any]) -> bytes:
    """JSON bytes for a component: Streamlit sends bytes unchanged, and would serialise other data twice for
    each viewer.
    """
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()


def chart(figure: Figure, *, key: str, label: str, height: int = 320) -> None:
    """Draw a plotly figure that is updated in place; `label` is its alternative text."""
    _chart(key=key, data=packed({"figure": written(figure), "height": height, "label": label}))


@dataclass(frozen=True)
class Card:
    """A chart with its texts."""

    title: str
    rest: str
    """Text after the title."""
    caption: str
    figure: Figure
    label: str
    """Alternative text of the chart."""
    height: int = 320
    row: int = 1
    """Number of cards in the same row: 1, 2 or 3."""

    def data(self) -> dict[str, Any]:
        return vars(self) | {"figure": written(self.figure)}


def sheet(shown: Iterable[Card], keys: Mapping[str, str] | None = None) -> bytes:
    """Packed cards; `keys` of precomputed tables, by which they follow a drag (assets/web/live.js)."""
    return packed({"cards": [card.data() for card in shown], "keys": keys})


def cards(sheet: bytes, *, key: str) -> None:
    """Draw charts that change together, as one message, which is far faster than several."""
    _cards(key=key, data=sheet)


def panels(data: bytes, *, key: str) -> None:
    """Draw Train's three panels (data: assets/web/panels.js)."""
    _panels(key=key, data=data)


def table(data: dict[str, Any], *, key: str) -> None:
    """Draw the clients' table (data: assets/web/table.js); edits arrive in st.session_state[key]["edits"]."""
    _table(key=key, data=packed(data), on_edits_change=lambda: None)


def dots(data: dict[str, Any], *, key: str) -> None:
    """Draw draggable budgets (data: assets/web/dots.js); edits arrive as from `table`."""
    _dots(key=key, data=packed(data), on_edits_change=lambda: None)


def ladder(data: dict[str, Any], *, key: str) -> None:
    """Draw an attack grid's images (data: assets/web/ladder.js)."""
    _ladder(key=key, data=packed(data))


def strip(data: dict[str, Any], *, key: str) -> None:
    """Draw live sliders (data: assets/web/strip.js); positions arrive in st.session_state[key]["asked"]."""
    _strip(key=key, data=packed(data), on_asked_change=lambda: None)


def verdicts(data: dict[str, Any], *, key: str) -> None:
    """Draw the designs' verdicts (data: assets/web/verdicts.js)."""
    _verdicts(key=key, data=packed(data))


def ahead(data: bytes, *, key: str) -> None:
    """Send precomputed tables for drags (data: assets/web/ahead.js); draws nothing."""
    _ahead(key=key, data=data)


def outcome(data: dict[str, Any], *, key: str) -> None:
    """Draw a scenario's results as a small chart (data: assets/web/outcome.js)."""
    _outcome(key=key, data=packed(data))


def scale(data: dict[str, Any]) -> None:
    """Draw a guess and the answer on one line (data: assets/web/scale.js)."""
    with st.container(key="scale", width="content"):
        _scale(key="scale of the guess", data=packed(data), width="content")


def dissolve(data: dict[str, Any], *, key: str) -> None:
    """Draw a reconstruction under a slider over ε (data: assets/web/dissolve.js)."""
    _dissolve(key=key, data=packed(data))


def sketch(data: dict[str, Any], *, key: str) -> None:
    """Draw a square for a drawing (data: assets/web/sketch.js); the pixels arrive in
    st.session_state[key]["drawn"]["pixels"].
    """
    _sketch(key=key, data=packed(data), on_drawn_change=lambda: None)


def lineup(data: dict[str, Any], *, key: str) -> None:
    """Draw ten candidate images with the one that the attacker picks (data: assets/web/lineup.js)."""
    _lineup(key=key, data=packed(data))


def heat(data: dict[str, Any], *, key: str, opened: Callable[[], None]) -> None:
    """Draw a heat map of buttons (data: assets/web/heat.js); the pressed one's number is in
    st.session_state[key]["opened"] when `opened` is called.
    """
    _heat(key=key, data=packed(data), on_opened_change=opened)


def runs(
    data: dict[str, Any],
    *,
    key: str,
    ticked: Callable[[], None],
    sorted_by: Callable[[], None],
    opened: Callable[[], None],
) -> None:
    """Draw the table of runs (data and state: assets/web/runs.js)."""
    _runs(
        key=key,
        data=packed(data),
        on_ticked_change=ticked,
        on_sorted_change=sorted_by,
        on_opened_change=opened,
    )


def remember(identity: str, name: str, prepared: bool, token: str) -> None:
    """Store in this browser that it has opened a draft, whether the draft is the unchanged scenario
    (`prepared`), and the visitor's token.
    """
    data = packed({"keep": {"id": identity, "name": name, "prepared": prepared}, "token": token})
    _memory(key="memory", data=data, on_token_change=lambda: None)


def introduce(token: str) -> None:
    """Store the visitor's token in this browser, on a page without a draft."""
    _memory(key="memory", data=packed({"token": token}), on_token_change=lambda: None)


def remembered() -> None:
    """Draw links to the drafts that this browser has opened."""
    _memory(key="memory-list", data=packed({"show": True}))
