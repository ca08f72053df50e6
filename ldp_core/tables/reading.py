"""Parsing of a file's bytes to headings and cells, and recognition of columns by headings as people and
programs write them: `Budget ε`, client_id, lowerBound.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from ldp_core.errors import InvalidExperiment, Problem, shown
from ldp_core.limits import spelled
from ldp_core.tables.notation import decimal_mark, two_readings, value

MOST_BYTES = 5 * 2**20
DELIMITERS = ",;\t|"
SPACED = 20
"""Number of lines that must have the same number of cells between spaces, where nothing else separates."""
ENCODINGS = ["cp1252", "gb18030", "cp1251", "shift_jis"]
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEP = re.compile(r'"?sep=([,;\t|])"?[ \r\n]*', re.IGNORECASE)
_BINARY = re.compile("[\x00-\x08\x0e-\x1f]")
_WORD = re.compile(r"#|[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Table:
    """Non-empty lines of a file below its line of headings."""

    headings: tuple[str, ...]
    lines: tuple[int, ...]
    rows: tuple[list[str], ...]
    """Cells of each row, at most one per heading."""
    delimiter: str = ","
    problems: list[Problem] = field(default_factory=list)
    """Faults of single lines, which `rows` omits."""
    row_names: bool = False
    """Whether a first column without a heading, which named the rows, was left out."""

    @cached_property
    def decimal(self) -> str:
        """Decimal mark that the whole file proves; "" if it proves none."""
        return decimal_mark({cell for row in self.rows for cell in row}, self.delimiter)

    def number(self, cell: str) -> float:
        return value(cell, self.decimal)

    def ambiguous(self, cell: str) -> str:
        return "" if self.decimal else two_readings(cell)


def read_table(data: bytes, most: int = MOST_BYTES, encoding: str = "", headed: bool = True) -> Table:
    """Table of a file, or InvalidExperiment; faults of single lines are in its `problems`. `encoding` is that
    of a file that is neither UTF-8 nor UTF-16; columns of a file that is not `headed` are numbered.
    """
    text = _without_comments(_decoded(data, most, encoding))
    problems: list[Problem] = []
    delimiter = _delimiter(text)
    lines = _lines(text, delimiter, problems)
    first = next(lines, None)
    if first and _SEP.fullmatch(text.lstrip().partition("\n")[0]):
        first = next(lines, None)
    if first is None:
        raise InvalidExperiment(problems or [Problem("", "the file is empty; its first line names columns")])
    headings, rows = [cell.strip() for cell in first[1]], list(lines)
    if all(len(one) > 2 and one[0] == one[-1] == "'" for one in headings):
        headings = [one[1:-1] for one in headings]
    if not headed:
        headings, rows = [f"column {n + 1}" for n in range(len(headings))], [first, *rows]
    unnamed = [i for i, heading in enumerate(headings) if not heading or heading.startswith("Unnamed: ")]
    named = unnamed[:1] == [0] and len({row[0] for _, row in rows}) == len(rows)
    if unnamed:
        headings, rows = _without(unnamed, named, headings, rows)
    rows = _cut(rows, len(headings), delimiter, problems)
    numbers, cells = tuple(n for n, _ in rows), tuple(row for _, row in rows)
    return Table(tuple(headings), numbers, cells, delimiter, problems, named)


def encodings(data: bytes) -> list[str]:
    """Encodings in which a file is text, likeliest first; none if it proves to be UTF-8 or UTF-16."""
    if data.startswith(_UTF16):
        return []
    with suppress(UnicodeDecodeError):
        data.decode("utf-8-sig")
        return []
    runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", data[:100_000])]
    alone = 2 * runs.count(1) > len(runs)  # as an umlaut stands among other letters
    found = []
    for one in ENCODINGS if alone else ENCODINGS[1:] + ENCODINGS[:1]:
        with suppress(UnicodeDecodeError):
            found += [one] if not _BINARY.search(data.decode(one)) else []
    return found


def _decoded(data: bytes, most: int, encoding: str) -> str:
    """Text of a file in UTF-8, UTF-16, or else the given encoding, by default that of Windows."""
    if len(data) > most:
        size = f"{len(data) / 2**20:.1f} MB"
        raise InvalidExperiment([Problem("", f"the file has {size}; at most {most >> 20} MB are read")])
    wide, others = data.startswith(_UTF16), encodings(data)
    other = encoding or ENCODINGS[0]
    try:
        text = data.decode("utf-16" if wide else other if other in others else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = "is not text in UTF-8; save it as CSV in UTF-8"
        raise InvalidExperiment([Problem(f"line {line}", message)]) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InvalidExperiment([Problem(f"line {line}", "holds a NUL character: this is not a CSV file")])
    return text


def _without_comments(text: str) -> str:
    """Text whose lines in front that begin with #, and have other cells than the table, are blank."""
    head = text[:100_000].splitlines(keepends=True)
    count = next((i for i, line in enumerate(head) if not line.startswith("#")), len(head))
    if not 0 < count < len(head) or any(
        _bare(head[0]).count(c) == _bare(head[count]).count(c) > 0 for c in DELIMITERS
    ):
        return text
    return "\n" * count + text[sum(map(len, head[:count])) :]


def _delimiter(text: str) -> str:
    """Delimiter of a table: as `sep=;` states, else the one that splits the headings best."""
    head = text.lstrip("\r\n ")[:100_000].splitlines()[:1]
    if not head:
        return ","
    if said := _SEP.fullmatch(head[0]):
        return said[1]
    best = max(DELIMITERS, key=_bare(head[0]).count)
    if best in _bare(head[0]):
        return best
    lines = [line.split() for line in text[:100_000].splitlines()[:SPACED] if line.strip()]
    spaced = len(lines) > 1 and len(lines[0]) > 1 and len({len(line) for line in lines}) == 1
    return " " if spaced else best


def _bare(line: str) -> str:
    return re.sub('"[^"]*"', "", line)


def _lines(text: str, delimiter: str, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """Non-empty lines, numbered from 1; an unclosed quote ends the iteration with a problem."""
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True
    )
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            problems.append(Problem(f"line {start}", "opens a quotation mark that is not closed properly"))
            return
        if "".join(cells).strip():
            yield start, cells


def _without(
    unnamed: list[int], named: bool, headings: list[str], rows: list[tuple[int, list[str]]]
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Rows without empty columns that have no heading, and without a first column that names rows."""
    for line, row in rows:
        for i in unnamed[named:]:
            if i >= len(row):
                break
            if row[i].strip():
                message = f"holds {shown(row[i])} in column {spelled(i + 1)}, which has no heading"
                raise InvalidExperiment([Problem(f"line {line}", message)])
    away = set(unnamed)

    def kept(cells: list[str]) -> list[str]:
        return [cell for i, cell in enumerate(cells) if i not in away]

    return kept(headings), [(line, kept(row)) for line, row in rows]


def _cut(
    rows: list[tuple[int, list[str]]], width: int, delimiter: str, problems: list[Problem]
) -> list[tuple[int, list[str]]]:
    """Rows without empty cells behind the last column, which spreadsheets append."""
    kept = []
    for line, row in rows:
        if len(row) <= width:
            kept.append((line, row))
            continue
        beyond = row[width:]
        # between commas it may be a number with a decimal comma that has moved all others on
        if "".join(beyond).strip() or (delimiter == "," and not any("." in cell for cell in row)):
            advice = "; with decimal commas, separate the cells by semicolons" if delimiter == "," else ""
            message = f"has {spelled(len(row))} cells and the header {spelled(width)}{advice}"
            problems.append(Problem(f"line {line}", message))
        else:
            kept.append((line, row[:width]))
    return kept


@dataclass(frozen=True)
class Heading:
    """A known column, recognised by its heading: a heading matches if it has one of the words `keys` and
    otherwise only words of `keys` and `others`.
    """

    keys: frozenset[str]
    others: frozenset[str] = frozenset()

    @classmethod
    def of(cls, keys: str, others: str = "") -> Heading:
        return cls(frozenset(keys.split()), frozenset(others.split()))

    def fits(self, heading: str) -> bool:
        found = words(heading)
        return bool(found & self.keys) and found <= self.keys | self.others


def words(heading: str) -> frozenset[str]:
    """Words of a heading, in lower case (ϵ is ε)."""
    return frozenset(_WORD.findall(_CAMEL.sub(" ", heading).casefold()))


def find(headings: Sequence[str], columns: Mapping[str, Heading]) -> list[str]:
    """Column of each heading; "" if none or ambiguous."""
    exact = [heading.strip().casefold() for heading in headings]
    fitting = ([name for name, one in columns.items() if one.fits(heading)] for heading in headings)
    pairs = zip(exact, fitting, strict=True)
    return [name if name in columns else fit[0] if len(fit) == 1 else "" for name, fit in pairs]
