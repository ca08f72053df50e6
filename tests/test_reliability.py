"""RELIABILITY.md names tests that exist."""

import ast
import re

from tests.conftest import ROOT

TEXT = (ROOT / "tests" / "RELIABILITY.md").read_text(encoding="utf-8")
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
