"""Components with JavaScript of our own: `assets/web/NAME.js`, loaded once, describes the data of each."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import streamlit as st

from ldp_core.system.shipped import ASSETS

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


_components = {
    file.stem: _component(file.stem)
    for file in WEB.glob("*.js")
    if "export function render(" in file.read_text(encoding="utf-8")
}


def draw(name: str, data: Mapping[str, Any] | bytes, *, key: str, keeps: str = "", **options: Any) -> None:
    """Draw a component; what it `keeps` is in `st.session_state[key][keeps]`."""
    if keeps:
        options[f"on_{keeps}_change"] = lambda: None
    _components[name](key=key, data=data if isinstance(data, bytes) else packed(data), **options)


def typed(value: Any) -> Any:
    """`default` for `json.dumps`: arrays as base64, which plotly parses many times faster."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")
    dtype = f"{value.dtype.kind}{value.dtype.itemsize}"
    return {"dtype": dtype, "bdata": b64encode(value.tobytes()).decode()}


def written(figure: Mapping[str, Any]) -> str:
    return json.dumps(figure, default=typed, separators=(",", ":"))


def packed(data: Mapping[str, Any]) -> bytes:
    """JSON bytes for a component, as Streamlit would serialise other data twice for each viewer."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()


def chart(figure: Mapping[str, Any], *, key: str, label: str, height: int = 320) -> None:
    """Draw a plotly figure that is updated in place; `label` is its alternative text."""
    draw("chart", {"figure": written(figure), "height": height, "label": label}, key=key)


@dataclass(frozen=True)
class ChartCard:
    """A chart with its texts."""

    title: str
    rest: str
    """Text after the title."""
    caption: str
    figure: dict[str, Any]
    label: str
    """Alternative text of the chart."""
    height: int = 320
    row: int = 1
    """Number of cards in the same row: 1, 2 or 3."""


def sheet(shown: Iterable[ChartCard], keys: Mapping[str, str] | None = None) -> bytes:
    """Data of `cards`, which change together as one message: far faster than several; `keys` of precomputed
    tables, by which they follow a drag (assets/web/live.js).
    """
    cards = [vars(card) | {"figure": written(card.figure)} for card in shown]
    return packed({"cards": cards, "keys": keys})


def introduce(token: str, **more: Any) -> None:
    """Store the visitor's token in this browser, and `more` as assets/web/memory.js describes it."""
    draw("memory", {"token": token, **more}, key="memory", keeps="token")
