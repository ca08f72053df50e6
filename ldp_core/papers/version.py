"""The version of what decides a figure: a digest of the code that trains, without its comments.

The whole program has a digest of its own (`ldp_core.runs.record.run_cache`), which any page's word
changes; a stored figure would be of another version the day after.
"""

from __future__ import annotations

import ast
import hashlib
import threading
from functools import cache
from pathlib import Path

DECIDES = (
    "aggregators",
    "attacks",
    "datasets",
    "engines",
    "experiment",
    "federated",
    "leakage",
    "mechanisms",
    "models",
    "optimizers",
    "partitions",
    "selections",
    "systems",
    "cost/traffic.py",
    "theory/relative_error.py",
    "normal.py",
    "simulate.py",
    "streams.py",
)
"""Rooms and files of `ldp_core`."""


_one = threading.Lock()


def version() -> str:
    """Eight hex digits; what is only reworded or commented keeps them."""
    with _one:  # two threads that make syntax trees disturb each other in Python 3.11
        return _version()


@cache
def _version() -> str:
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for place in DECIDES:
        found = root / place
        for file in [found] if found.suffix else sorted(found.rglob("*.py")):
            digest.update(ast.dump(bare(ast.parse(file.read_text(encoding="utf-8")))).encode())
    return digest.hexdigest()[:8]


def bare(tree: ast.Module) -> ast.Module:
    """A program without docstrings and other texts that stand alone."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _text(one)]  # type: ignore[attr-defined]
    return tree


def _text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
