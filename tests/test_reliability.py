"""RELIABILITY.md names tests that exist, and no row is without one or without a reason."""

import ast
import re

import pytest

from tests.conftest import ROOT

TEXT = (ROOT / "tests" / "RELIABILITY.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| ([FCS]\d+) \| (.*) \|$", TEXT, re.MULTILINE))
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)))


def test_named_tests_exist():
    defined = {file: names_in(file) for file, _ in NAMED}
    assert len(defined) > 20
    assert [(file, name) for file, name in NAMED if name not in defined[file]] == []


def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign
    return {
        target
        for node in tree.body
        if isinstance(node, kinds)
        for target in (
            [node.name] if not isinstance(node, ast.Assign) else [ast.unparse(t) for t in node.targets]
        )
    }


@pytest.mark.parametrize(("letter", "least"), [("F", 11), ("C", 5), ("S", 12)])
def test_rows_are_numbered_without_gaps(letter: str, least: int):
    numbers = sorted(int(row[1:]) for row in ROWS if row[0] == letter)
    assert numbers == [*range(1, len(numbers) + 1)]
    assert len(numbers) >= least


def test_no_row_is_without_a_test_or_a_reason():
    for row, text in ROWS.items():
        cells = re.split(r" ?\| ?", text)
        assert len(cells) == 4, row
        assert "::" in cells[1] or "not here: " in cells[1] or "GAP: " in cells[1], row
