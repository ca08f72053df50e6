"""A number is read as it is meant, or not at all: no file has a thousandth of what stands in it."""

import math

import pytest

from ldp_core.tables.notation import decimal_mark, is_gap, is_no_number, two_readings, value

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
