"""Notation of numbers: decimal mark and thousands separator. Most cells show it: 0,5 and 1.234,5 have a
decimal comma, 0.5 and 1,234,567 a decimal point. One point or comma before three digits (1.000) may be
either; the file's other cells decide, and if they do not, it is asked or refused.
"""

import math
import re
from collections.abc import Iterable

from ldp_core.errors import shown
from ldp_core.limits import spelled

_LIKE_ASCII = str.maketrans("−–—\u00a0\u202f\u2009’٬", "---   ''", "\ufeff\u200e\u200f")
_SWAPPED = str.maketrans(".,", ",.")
_WITH_POINT = re.compile(
    r"[+-]?(?:(?:\d{1,3}(?:[ ']\d{3})+|[1-9]\d{0,2}(?:,\d{2,3})*,\d{3})(?:\.\d*)?"
    r"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
)
_UNITS = "%$€£¥ "
_GAPS = frozenset({"", "-", "--", "na", "n/a", "#n/a", "n.a.", "null", "none", "nil"})
_NO_NUMBERS = frozenset(
    {"nan", "#num!", "#div/0!", "#value!"}
    | {sign + word for sign in ("", "+", "-") for word in ("inf", "infinity", "∞")}
)


def is_gap(cell: str) -> bool:
    return _plain(cell).casefold() in _GAPS


def is_no_number(cell: str) -> bool:
    """Whether a cell is NaN, infinity or a spreadsheet's error."""
    return _plain(cell).casefold() in _NO_NUMBERS


def decimal_mark(cells: Iterable[str], delimiter: str) -> str:
    """Decimal mark that the cells prove, "." or ","; "" if they prove neither or both."""
    marked = [bare(cell) for cell in cells if "," in cell or "." in cell]
    ways = [(_readings(cell), "," in cell) for cell in marked]
    proved = {*"".join(way for way, _ in ways if len(way) == 1)}
    if len(proved) == 1:
        return proved.pop()
    # a comma between cells leaves the point for decimals, unless cells in quotation marks hold commas as well
    comma = any(has_comma and "," in way for way, has_comma in ways)
    return "." if delimiter == "," and not comma else ""


def value(cell: str, decimal: str) -> float:
    """Number in a cell; NaN if it is none, or ambiguous."""
    if cell.isascii() and cell.isdecimal():
        return float(cell)
    ways = _readings(cell)
    if len(ways) == 1:
        return _read(cell, ways)
    return _read(cell, decimal) if decimal and ways else math.nan


def bare(cell: str) -> str:
    """Number of a cell without its per cent or currency sign; in brackets it is below zero."""
    text = _plain(cell)
    inner = text[1:-1] if text[:1] == "(" and text[-1:] == ")" else ""
    return f"-{inner.strip(_UNITS)}" if inner and inner[0] not in "+-" else text.strip(_UNITS)


def typed(text: str) -> float:
    """Number typed alone, with a decimal point as on pages: 0,5 is accepted, 1,000 is NaN."""
    return value(text, "" if "," in text else ".")


def two_readings(cell: str) -> str:
    """Both readings of an ambiguous cell, in words; "" if it is not ambiguous."""
    text = _plain(cell)
    if len(_readings(text)) < 2:
        return ""
    mark, other, name = (",", ".", "comma") if "," in text else (".", ",", "point")
    return (
        f"has two readings, {spelled(value(text, other))} with a {name} between thousands and "
        f"{spelled(value(text, mark))} with a decimal {name}; got "
        f"{shown(text)}: write it without the {name}, or with other than three decimals"
    )


def _plain(cell: str) -> str:
    return (cell if cell.isascii() else cell.translate(_LIKE_ASCII)).strip()


def _read(cell: str, mark: str) -> float:
    text = _plain(cell).translate(_SWAPPED) if mark == "," else _plain(cell)
    found = _WITH_POINT.fullmatch(text)
    return float(re.sub("[ ',]", "", text)) if found else math.nan


def _readings(cell: str) -> str:
    """Decimal marks with which a cell is a number; one of them if both read the same."""
    point, comma = _read(cell, "."), _read(cell, ",")
    if point == comma:
        return "."
    return ("" if math.isnan(point) else ".") + ("" if math.isnan(comma) else ",")
