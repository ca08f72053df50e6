"""Who counts as strict."""

import numpy as np
import pytest

from ldp_core.experiment import Population


@pytest.mark.parametrize(
    ("budgets", "strict"),
    [
        ([0.5] * 18 + [8] * 2, 18),
        ([0.5] * 10 + [8] * 10, 10),
        ([0.5] * 3 + [8] * 17, 3),  # the median is the largest: none would be permissive
        ([1, 2, 3, 4, 5], 3),
        ([1] * 5, 5),
        ([2], 1),
    ],
)
def test_strict_clients_are_all_only_for_equal_budgets(budgets: list[float], strict: int):
    epsilon = np.array(budgets, np.float64)
    assert Population(epsilon, -np.ones_like(epsilon), np.ones_like(epsilon)).strict.sum() == strict
