"""The ledger of every preset says what it said before it read what each round releases (commit 867d42c)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ldp_core import presets
from ldp_core.accounting import ledger
from tests.conftest import ROOT

BEFORE = json.loads((ROOT / "tests/accounting/before.json").read_text())
"""`promises`: for each variant of a preset, the clients (in order) of each of the `entries`."""
THEN = {
    "twenty_images": {
        "dataset": "mnist",
        "clients.count": 3000,
        "selection.fraction": 0.01,
    }
}
"""What presets that are others by now were then."""


@pytest.mark.parametrize("which", BEFORE["promises"])
def test_the_same_figures_as_before(which: str):
    name, variant = which.split("/")
    experiments = presets.get(name).draft.with_base(THEN.get(name, {})).experiments()
    entries = ledger(experiments[int(variant)])
    for clients, number in BEFORE["promises"][which]:
        for client in clients:
            assert_same(entries[client], BEFORE["entries"][number])


def assert_same(entry: dict[str, Any], before: dict[str, Any]) -> None:
    assert entry.keys() - {"against", "worth"} == before.keys()
    for scope, line in before.items():
        for field, value in line.items():
            result = entry[scope][field]
            if isinstance(value, float):
                assert result == pytest.approx(value, rel=1e-12), (scope, field)
            else:
                assert result == value, (scope, field)
