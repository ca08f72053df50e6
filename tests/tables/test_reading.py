"""One table in every way that spreadsheets write it, with the headings that people give its columns."""

import math

import pytest

from ldp_core.errors import InvalidExperiment
from ldp_core.tables import Heading, Table, find, read_table
from ldp_core.tables.notation import decimal_mark, is_gap, is_no_number, two_readings, value

PLAIN = "a,b\n1,0.5\n2,−3\n"


def numbers(table: Table) -> list[list[float]]:
    return [[table.number(cell) for cell in row] for row in table.rows]


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode(),
        PLAIN.encode("utf-8-sig"),
        PLAIN.encode("utf-16"),
        PLAIN.replace("−", "-").replace("\n", "\r").encode(),
        PLAIN.replace("−", "–").encode("cp1252"),
        PLAIN.replace(",", ";").replace(".", ",").encode(),
        b"sep=;\r\na;b\r\n1;0,5\r\n2;-3\r\n",
        b'"sep=\t"\na\tb\n1\t0.5\n2\t-3\n',
        b"\n\na,b,,\n1,0.5,,\n\n2,-3.0,,\n,,,\n",
        b"a,b\n1,0.5,,\n2,-3.0,\n",
        b"a;b\n1;0.5;\n2;-3;;\n",
        b",a,b\n0,1,0.5\n1,2,-3\n",
        b"Unnamed: 0,a,b\n1,1,0.5\n2,2,-3\n",
        b",a,b\n7,1,0.5\n3,2,-3\n",
        b"# by tool\n# 2026\na,b\n1,0.5\n2,-3\n",
        b'a, "b"\n1, "0,5"\n2, -3\n',
    ],
)
def test_the_same_table(data: bytes):
    table = read_table(data)
    assert table.headings == ("a", "b")
    assert numbers(table) == [[1, 0.5], [2, -3]]
    assert not table.problems


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"sep=;\n", "the file is empty"),
        (b"a,b,\n1,2,3\n", "line 2 holds “3” in column 3, which has no heading"),
        (b",a\n7,1\n7,2\n", "line 2 holds “7” in column 1, which has no heading"),
        (b"a\n\x90\xff", "line 2 is not text in UTF-8"),
        (b"\xff\xfe\x00", "line 1 is not text in UTF-8"),
    ],
)
def test_malformed_table_is_refused(data: bytes, words: str):
    with pytest.raises(InvalidExperiment, match=words):
        read_table(data)


def test_decimal_comma_between_commas_is_refused():
    table = read_table(b"a,b\n1,0,5\n0,5,\n2,3\n")
    assert [problem.path for problem in table.problems] == ["line 2", "line 3"]
    assert all("separate the cells by semicolons" in problem.message for problem in table.problems)
    assert table.lines == (4,)


COLUMNS = {"low": Heading.of("low lower min", "bound limit"), "limit": Heading.of("limit run", "lower ε")}


@pytest.mark.parametrize(
    ("heading", "column"),
    [
        ("LOW", "low"),
        ("Lower bound", "low"),
        ("lower_bound", "low"),
        ("lowerBound", "low"),
        ("min. (bound)", "low"),
        ("ϵ limit", "limit"),
        ("limit", "limit"),
        ("lower limit", ""),  # of both
        ("bound", ""),
        ("lowest price", ""),
        ("", ""),
    ],
)
def test_known_or_not(heading: str, column: str):
    assert find([heading], COLUMNS) == [column]


ALONE = {
    "5": 5,
    "−5": -5,
    "–0,5": -0.5,
    "+.5": 0.5,
    "5.": 5,
    "0.500": 0.5,
    "0,125": 0.125,
    "1,5": 1.5,
    "1.2500": 1.25,
    "1234,567": 1234.567,
    "1.234,5": 1234.5,
    "1,234.5": 1234.5,
    "1,234,567": 1234567,
    "1.234.567": 1234567,
    "12,34,567": 1234567,  # an Indian grouping
    "1 000": 1000,
    "1\u202f000\u00a0000,5": 1000000.5,
    "1'000.5": 1000.5,
    "1’000": 1000,
    "1,5E-3": 0.0015,
    "1.000e+3": 1000,
}


@pytest.mark.parametrize("cell", ALONE)
@pytest.mark.parametrize("decimal", ["", ".", ","])
def test_unambiguous_numbers_need_no_decimal_mark(cell: str, decimal: str):
    assert value(cell, decimal) == ALONE[cell]
    assert not two_readings(cell)


@pytest.mark.parametrize(
    "cell", ["", "x", "=1+1", "1_000", "1,00,00", "1.5.2024", "1 00", "1,5.3,2", ".", ",", "- 5", "nan"]
)
def test_invalid_number_is_nan(cell: str):
    assert all(math.isnan(value(cell, mark)) for mark in ("", ".", ","))


@pytest.mark.parametrize(
    ("others", "delimiter", "comma", "point"),
    [
        (["0.5"], "\t", 1000, 2.5),
        (["0,5"], ";", 1, 2500),
        (["7"], ";", None, None),
        (["7"], "\t", None, None),
        (["0.5", "0,5"], ";", None, None),
        (["1e3", "nan", "x"], ";", None, None),
        (["1,000,000"], ";", 1000, 2.5),
        (["1.000.000"], ";", 1, 2500),
    ],
)
def test_ambiguous_mark_follows_the_other_cells(
    others: list[str], delimiter: str, comma: float | None, point: float | None
):
    decimal = decimal_mark([*others, "1,000", "2.500"], delimiter)
    for cell, right in (("1,000", comma), ("2.500", point)):
        found = value(cell, decimal)
        assert math.isnan(found) if right is None else found == right
    assert "1\u202f000 with a comma between thousands and 1 with a decimal comma" in two_readings("1,000")


def test_a_comma_between_cells_leaves_the_point_for_decimals():
    assert decimal_mark(["1.000", "7"], ",") == "."
    assert decimal_mark(["1.000"], ";") == ""
    assert decimal_mark(["1,000"], ",") == "", "in quotation marks"


def test_gaps_and_non_numbers_are_recognised():
    assert all(map(is_gap, ["", " ", "-", "–", "NA", "n/a", "None", "null"]))
    assert all(map(is_no_number, ["NaN", "inf", "-Infinity", "−∞", "#DIV/0!"]))
    assert not any(map(is_gap, ["0", "NaN", "no"])) and not any(map(is_no_number, ["", "0", "much"]))
