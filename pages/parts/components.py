"""Components of our own: a chart that updates in place, Train's panels, the clients' table.

Their JavaScript lies in `assets/web` and is fetched once; what travels with every update is the
data alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import streamlit as st

WEB = Path(__file__).parents[2] / "assets" / "web"

SHIM = """
const loaded = import(new URL("%s", window.location.origin));
export default function (component) {
  loaded.then((module) => module.render(component));
  return () => loaded.then((module) => module.unmount?.(component));
}
"""


@cache
def version() -> str:
    """Changes with any of the files, so that browsers keep them as long as they are current."""
    digest = hashlib.sha256()
    for file in sorted(WEB.glob("*.js")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def _base() -> str:
    """What stands before every path where the server is not at the root of its host."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


def _component(name: str) -> Any:
    css = WEB / f"{name}.css"
    url = f"{_base()}/assets/web/{name}.js?v={version()}"
    return st.components.v2.component(
        f"studio_{name}",
        js=SHIM % url,
        css=css.read_text(encoding="utf-8") if css.exists() else None,
        html="",
        isolate_styles=False,
    )


_chart = _component("chart")
_cards = _component("cards")
_panels = _component("panels")
_table = _component("table")
_memory = _component("memory")
_ladder = _component("ladder")


def chart(figure: str, *, key: str, label: str, height: int = 320) -> None:
    """A plotly figure (as JSON) that is updated in place; `label` is read to those who cannot see it."""
    _chart(key=key, data={"figure": figure, "height": height, "label": label})


@dataclass(frozen=True)
class Card:
    """A chart with its words, all of them plain text."""

    title: str
    rest: str
    """Follows the title."""
    caption: str
    figure: dict[str, Any]
    label: str
    """Read to those who cannot see the chart."""
    height: int = 320
    row: int = 1
    """How many cards share its row: 1, 2 or 3."""

    @cached_property
    def data(self) -> dict[str, Any]:
        """As the browser gets it; a card that many look at is written out once."""
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        return shown | {"figure": json.dumps(self.figure)}


def cards(shown: Sequence[Card], *, key: str) -> None:
    """Charts that change together, as one message: far quicker than one after the other."""
    _cards(key=key, data={"cards": [card.data for card in shown]})


def panels(data: dict[str, Any], *, key: str) -> None:
    """Train's three panels (see assets/web/panels.js for the data)."""
    _panels(key=key, data=data)


def table(data: dict[str, Any], *, key: str) -> None:
    """The clients' table (see assets/web/table.js); edits arrive in st.session_state[key]["edits"]."""
    _table(key=key, data=data, on_edits_change=lambda: None)


def ladder(data: dict[str, Any], *, key: str) -> None:
    """The attacker's pictures (see assets/web/ladder.js for the data)."""
    _ladder(key=key, data=data)


def remember(identity: str, name: str, token: str) -> None:
    """Let this browser remember that it has opened a draft, and by which token it is known here."""
    data = {"keep": {"id": identity, "name": name}, "token": token}
    _memory(key="memory", data=data, on_token_change=lambda: None)


def remembered() -> None:
    """The drafts that this browser has opened, as links."""
    _memory(key="memory-list", data={"show": True, "base": _base()})
