"""A scenario's picture names budgets where they are, and no two names lie on each other."""

from __future__ import annotations

import re

import pytest

from ldp_core import presets
from pages.parts.charts.scenario_card import HALF, picture

NAME = re.compile(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>ε ([\d.]+)</text>')


@pytest.mark.parametrize("name", presets.names())
def test_the_budgets_that_are_named_are_there_and_can_be_read(name: str):
    draft = presets.get(name).draft
    named = [(float(x), float(y), float(epsilon)) for x, y, epsilon in NAME.findall(picture(draft))]
    budgets = draft.base.clients.budgets()
    assert {epsilon for _, _, epsilon in named} >= {budgets.min(), budgets.max()}
    for i, (x, y, _) in enumerate(named):
        assert all(abs(x - other) >= 2 * HALF or abs(y - above) >= 13 for other, above, _ in named[:i])
