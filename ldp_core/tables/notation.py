"""Notation of numbers: decimal mark and thousands separator. Most cells show it: 0,5 and 1.234,5 have a
decimal comma, 0.5 and 1,234,567 a decimal point. One point or comma before three digits (1.000) may be
either; the file's other cells decide, and if they do not, the cell is refused.
"""

import math
import re
from collections.abc import Iterable

from ldp_core.errors import shown
from ldp_core.limits import spelled

_LIKE_ASCII = str.maketrans("−–—\u00a0\u202f\u2009’٬", "---   ''", "\ufeff\u200e\u200f")
_GROUPS = r"\d{1,3}(?:[ ']\d{3})+"
_POWER = r"[eE][+-]?\d+"
_FORM = re.compile(
    "[+-]?(?:"
    rf"(?P<plain>\d+(?:{_POWER})?|{_GROUPS})"
    r"|(?P<either>[1-9]\d{0,2}[.,]\d{3})"
    rf"|(?P<point>(?:\d+\.\d*|\.\d+)(?:{_POWER})?|(?:{_GROUPS}|\d{{1,3}}(?:,\d{{3}})+)\.\d*"
    r"|\d{1,3}(?:,\d{2,3})*,\d{2,3},\d{3})"
    rf"|(?P<comma>(?:\d+,\d*|,\d+)(?:{_POWER})?|(?:{_GROUPS}|\d{{1,3}}(?:\.\d{{3}})+),\d*"
    r"|\d{1,3}(?:\.\d{3}){2,})"
    ")"
)
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
    found = {(_form(cell.rstrip("% ")), "," in cell) for cell in cells if "," in cell or "." in cell}
    kinds = {kind for kind, _ in found}
    if ("point" in kinds) != ("comma" in kinds):
        return "." if "point" in kinds else ","
    # a comma between cells leaves the point for decimals, unless cells in quotation marks hold commas as well
    comma = any(kind in ("either", "comma") and has_comma for kind, has_comma in found)
    return "." if delimiter == "," and not comma else ""


def value(cell: str, decimal: str) -> float:
    """Number in a cell; NaN if it is none, or ambiguous."""
    if cell.isascii() and cell.isdecimal():
        return float(cell)
    text = _plain(cell)
    form = _form(text)
    if not form or (form == "either" and not decimal):
        return math.nan
    mark = {"point": ".", "comma": ","}.get(form, decimal)
    text = text.replace(" ", "").replace("'", "")
    if form != "plain":
        text = text.replace("," if mark == "." else ".", "").replace(mark, ".")
    return float(text)


def typed(text: str) -> float:
    """Number typed alone, with a decimal point as on pages: 0,5 is accepted, 1,000 is NaN."""
    return value(text, "" if "," in text else ".")


def two_readings(cell: str) -> str:
    """Both readings of an ambiguous cell, in words; "" if it is not ambiguous."""
    text = _plain(cell)
    if _form(text) != "either":
        return ""
    mark, other, name = (",", ".", "comma") if "," in text else (".", ",", "point")
    return (
        f"has two readings, {spelled(value(text, other))} with a {name} between thousands and "
        f"{spelled(value(text, mark))} with a decimal {name}; got "
        f"{shown(text)}: write it without the {name}, or with other than three decimals"
    )


def _plain(cell: str) -> str:
    return (cell if cell.isascii() else cell.translate(_LIKE_ASCII)).strip()


def _form(cell: str) -> str:
    """`plain`, `either`, `point` or `comma`; "" if the cell is no number."""
    found = _FORM.fullmatch(_plain(cell))
    return str(found.lastgroup) if found else ""
