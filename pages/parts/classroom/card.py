"""A student's card of a class, made and kept in the browser (assets/web/card.js)."""

from collections.abc import Mapping
from typing import Any

from pages.parts.classroom.words import say
from pages.parts.ui import components


def card(code: str = "", row: Mapping[str, Any] | None = None) -> None:
    """Draw the card with what this browser has of a class (of the last one without a code), and a new row."""
    words = {name: say(name) for name in ("my card", "keep card", "card stays")}
    components.draw("card", {"code": code, "row": row, "words": words}, key="card")
