"""Recognition of columns by headings as people and programs write them: `Budget ε`, client_id, lowerBound."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"#|[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Column:
    """A known column, recognised by its heading: a heading matches if it has one of the words `keys` and
    otherwise only words of `keys` and `others`.
    """

    keys: frozenset[str]
    others: frozenset[str] = frozenset()

    @classmethod
    def of(cls, keys: str, others: str = "") -> Column:
        return cls(frozenset(keys.split()), frozenset(others.split()))

    def fits(self, heading: str) -> bool:
        found = words(heading)
        return bool(found & self.keys) and found <= self.keys | self.others


def words(heading: str) -> frozenset[str]:
    """Words of a heading, in lower case (ϵ is ε)."""
    return frozenset(_WORD.findall(_CAMEL.sub(" ", heading).casefold()))


def find(headings: Sequence[str], columns: Mapping[str, Column]) -> list[str]:
    """Column of each heading; "" if none or ambiguous."""
    exact = [heading.strip().casefold() for heading in headings]
    fitting = ([name for name, one in columns.items() if one.fits(heading)] for heading in headings)
    pairs = zip(exact, fitting, strict=True)
    return [name if name in columns else fit[0] if len(fit) == 1 else "" for name, fit in pairs]
