"""`NAME.json` beside a table: the owner's description, with public scales instead of learnt ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ldp_core.errors import InvalidInput, one_of, printable, shown
from ldp_core.hints import hint

MOST_CARD = 2**20
MOST_NAME = 80
FIELDS = ("target", "client", "scales", "leave_out")
Scale = tuple[float, float] | tuple[str, ...]
"""Least and largest number, or the values of a category."""


@dataclass(frozen=True)
class Card:
    target: str | None = None
    """Heading of the target column; None to guess it."""
    client: str | None = None
    """Heading of the column that names each row's client; "" for none; None to guess it."""
    scales: Mapping[str, Scale] = field(default_factory=dict)
    leave_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: bytes) -> Card:
        """Card from a JSON object. InvalidInput: the end of a sentence that begins with the file's name."""
        if len(data) > MOST_CARD:
            raise InvalidInput(f"has more than {MOST_CARD >> 20} MB")
        try:
            given = json.loads(data)
        except (ValueError, RecursionError):
            raise InvalidInput("is not JSON") from None
        if not isinstance(given, dict):
            raise InvalidInput(f"must be an object with {one_of(FIELDS)}; got {shown(given)}")
        for name in given:
            if name not in FIELDS:
                raise InvalidInput(f"takes {one_of(FIELDS)}; got {shown(name)}{hint(name, FIELDS)}")
        scales = given.get("scales", {})
        if not isinstance(scales, dict):
            raise InvalidInput(f"must have an object of columns as scales; got {shown(scales)}")
        out = given.get("leave_out", [])
        if not isinstance(out, list):
            raise InvalidInput(f"must have a list of columns to leave_out; got {shown(out)}")
        named = {what: _name(given[what], what) for what in FIELDS[:2] if given.get(what) is not None}
        return cls(
            named.get("target"),
            named.get("client", "" if "client" in given else None),
            {name: _scale(name, scale) for name, scale in scales.items()},
            tuple(_name(name, "leave_out") for name in out),
        )

    def as_json(self) -> bytes:
        own: dict[str, Any] = {"scales": self.scales, "leave_out": self.leave_out}
        own |= {} if self.target is None else {"target": self.target}
        own |= {} if self.client is None else {"client": self.client or None}
        return json.dumps(own, ensure_ascii=False).encode()

    def refuse_unknown(self, headings: tuple[str, ...]) -> None:
        """Raise InvalidInput for a column that the card names and the table lacks."""
        for name in filter(None, (self.target, self.client, *self.scales, *self.leave_out)):
            if name not in headings:
                raise InvalidInput(
                    f"names the column {shown(name)}, and the table has "
                    f"{shown(', '.join(headings), 200)}{hint(name, headings)}"
                )


def _name(given: Any, what: str) -> str:
    if not isinstance(given, str) or not given or len(given) > MOST_NAME or not printable(given):
        raise InvalidInput(f"must have a column's heading as {what}; got {shown(given)}")
    return given


def _scale(name: str, given: Any) -> Scale:
    """Validated scale of a column: two rising numbers for a number, or the values of a category."""
    if isinstance(given, list) and given:
        if all(isinstance(one, str) and len(one) <= MOST_NAME and printable(one) for one in given):
            return tuple(dict.fromkeys(given))
        plain = len(given) == 2 and all(type(one) in (int, float) and abs(one) < 1e300 for one in given)
        if plain and given[0] < given[1]:
            return float(given[0]), float(given[1])
    raise InvalidInput(
        f"must scale {shown(name)} by its least and its most, as [0, 100], or by its values, as "
        f'["red", "blue"]; got {shown(given)}'
    )
