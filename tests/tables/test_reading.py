"""One table in every way that spreadsheets write it, with the headings that people give its columns."""

import pytest

from ldp_core.errors import InvalidExperiment
from ldp_core.tables import Heading, Table, find, read_table

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
