"""Tables that people bring, in whatever dialect of CSV: names of columns and cells of text.

Commas, semicolons, tabs or bars between cells, with or without Excel's `sep=` line; UTF-8, UTF-16 with its
mark, or Windows' Western code page; decimal points or commas, and separators of thousands. How numbers are
written is decided once for a whole file, by cells that can be read in one way only; what no cell decides is
refused with both readings.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ldp_core.errors import Problem, shown

DELIMITERS = ",;\t|"
SEP = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
POINT = re.compile(r"[-+−]?(\d{1,3}(,\d{3})+\.\d+|\d{1,3}(,\d{3}){2,}|\d*\.\d+([eE][-+]?\d+)?)")
COMMA = re.compile(r"[-+−]?(\d{1,3}(\.\d{3})+,\d+|\d{1,3}(\.\d{3}){2,}|\d*,\d+([eE][-+]?\d+)?)")
"""Cells whose decimal sign is a point or a comma, unless they are EITHER."""
EITHER = re.compile(r"[-+−]?[1-9]\d{0,2}([.,])\d{3}")
"""A thousand and something, or one and something."""
THOUSANDS = {
    ".": re.compile(r"[-+−]?\d{1,3}(,\d{3})+(\.\d+)?"),
    ",": re.compile(r"[-+−]?\d{1,3}(\.\d{3})+(,\d+)?"),
}
"""By decimal sign: a number with separators of thousands."""


class BadTable(ValueError):
    """A file that is no table; `problem` says where and why."""

    def __init__(self, path: str, message: str) -> None:
        self.problem = Problem(path, message)
        super().__init__(str(self.problem))


@dataclass(frozen=True)
class Table:
    """The cells of a file."""

    names: list[str]
    """Of the columns, as they stand there."""
    rows: list[tuple[int, list[str]]]
    """The number of each line, from 1, and its cells; numbers have decimal points and no separators."""
    broken: tuple[Problem, ...] = ()
    """A quotation mark that is not closed ends the file."""

    def called(self, known: Mapping[str, Sequence[str]]) -> list[str]:
        """The names of the columns, in terms of `known`: by name, what others call it."""
        meant = {plain(alias): name for name, aliases in known.items() for alias in (name, *aliases)}
        found = [name.strip().lower() for name in self.names]
        taken = {name for name in found if name in known}
        for i, name in enumerate(self.names):
            if (own := meant.get(plain(name), "")) and own not in taken:
                found[i] = own
                taken.add(own)
        return found


def plain(name: str) -> str:
    """Letters and digits of a name, in small letters."""
    return "".join(c for c in name.lower() if c.isalnum())


def read_table(data: bytes) -> Table:
    """A table from the bytes of a file.

    Raises:
        BadTable: it is none, or its numbers can be read in two ways.
    """
    text = _decoded(data).lstrip("\r\n")
    skipped = _decoded(data).count("\n") - text.count("\n")
    first, _, rest = text.partition("\n")
    if sep := SEP.fullmatch(first.strip("\r")):
        text, delimiter, skipped = rest, sep[1], skipped + 1
    else:
        delimiter = max(DELIMITERS, key=first.count)
    broken = list[Problem]()
    lines = _lines(text, delimiter, skipped, broken)
    header = next(lines, None)
    if header is None:
        return Table([], [], tuple(broken))
    names, rows = header[1], [*lines]
    width = len(names)
    while (
        width and not names[width - 1].strip() and not any("".join(c[width - 1 :]).strip() for _, c in rows)
    ):
        width -= 1  # columns that a spreadsheet has emptied
    rows = [(n, _trimmed(cells, width)) for n, cells in rows]
    return Table(names[:width], _in_one_way(rows, delimiter), tuple(broken))


def _is_empty(cells: list[str], start: int) -> bool:
    return not "".join(cells[start:]).strip()


def _trimmed(cells: list[str], width: int) -> list[str]:
    while len(cells) > width and not cells[-1].strip():
        cells = cells[:-1]
    return cells


def _decoded(data: bytes) -> str:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        try:
            text = data.decode("cp1252")
        except UnicodeDecodeError:
            text = "\0"
        if wide or CONTROL.search(text):
            raise BadTable(f"line {line}", "is not text in UTF-8; save it as CSV in UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise BadTable(f"line {line}", "holds a NUL character: this is not a CSV file")
    return text


def _lines(text: str, delimiter: str, skipped: int, broken: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """The lines that hold anything, numbered from 1."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1 + skipped
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            broken.append(Problem(f"line {start}", "opens a quotation mark that is not closed properly"))
            return
        if "".join(cells).strip():
            yield start, cells


def _in_one_way(rows: list[tuple[int, list[str]]], delimiter: str) -> list[tuple[int, list[str]]]:
    """Rows whose numbers have decimal points and no separators of thousands."""
    signs = {cell for _, cells in rows for cell in cells if "," in cell or ("." in cell and delimiter != ",")}
    if not signs:
        return rows
    either = {cell for cell in signs if EITHER.fullmatch(cell.strip())}
    sure = [cell.strip() for cell in signs - either]
    point, comma = (next((one for one in sure if way.fullmatch(one)), "") for way in (POINT, COMMA))
    if delimiter == "," and not point:  # between commas a point is what programs write for a decimal sign
        point = "" if comma else "0.5"
    if point and comma:
        where = next(line for line, cells in rows if comma in map(str.strip, cells))
        why = f"has {shown(comma)} where others have {shown(point)}: write all numbers in one way"
        raise BadTable(f"line {where}", why)
    if either and not (point or comma):
        cell = min(either)
        line = next(line for line, cells in rows if cell in cells)
        sign = "," if "," in cell else "."
        one, thousand = cell.strip().replace(sign, "."), cell.strip().replace(sign, "")
        why = f"has {shown(cell.strip())}, which may be {one} or {thousand}: write it in one of these ways"
        raise BadTable(f"line {line}", why)
    decimal = "," if comma else "."
    known = {cell: _number(cell, decimal) for cell in signs}
    return [(line, [known.get(cell, cell) for cell in cells]) for line, cells in rows]


def _number(cell: str, decimal: str) -> str:
    """A cell as Python writes numbers; any other text as it is."""
    text = cell.strip()
    if THOUSANDS[decimal].fullmatch(text):
        text = text.replace("." if decimal == "," else ",", "")
    elif not (COMMA if decimal == "," else POINT).fullmatch(text):
        return cell
    return text.replace(",", ".")
