"""Columns under the headings that people give them."""

from __future__ import annotations

import pytest

from ldp_core.tables import Column, find

COLUMNS = {"low": Column.of("low lower min", "bound limit"), "limit": Column.of("limit run", "lower ε")}


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
