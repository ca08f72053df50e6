"""The ranking by formula says what theory and ledger say of the same experiment."""

import numpy as np
import pytest

from ldp_core.accounting import entries
from ldp_core.errors import InvalidInput
from ldp_core.experiment import parse, plan
from ldp_core.theory import server_variance
from ldp_core.tuning.ranking import AssumedClients, ranking

ASKED = AssumedClients(
    clients=24, weights=650, lowest=0.5, highest=8.0, half=1.0, rounds=15, scope="mechanism"
)


@pytest.mark.parametrize("scope", ["mechanism", "upload", "run"])
def test_ranking_equals_theory_and_ledger(scope: str):
    asked = AssumedClients(**vars(ASKED) | {"scope": scope})
    budgets = np.linspace(0.5, 8.0, 24).tolist()
    for one in ranking(asked):
        if one.mechanism.scope != "coordinate":
            continue
        for aggregator, sigma in one.noise.items():
            experiment = parse(
                {
                    "clients": {"count": 24, "epsilon": budgets, "epsilon_scope": scope, "range": 1},
                    "mechanism": one.mechanism.name,
                    "aggregator": aggregator,
                }
            )
            near = 0.02 if scope == "run" else 1e-6  # between its ends a run's budgets are interpolated
            assert sigma**2 == pytest.approx(server_variance(experiment), rel=near), one.mechanism.name
        strict, *_, generous = entries(plan(experiment))
        assert one.strict.bound == pytest.approx(strict.run_worst.bound, rel=1e-6)
        assert one.generous.bound == pytest.approx(generous.run_worst.bound, rel=1e-6)


def test_so_many_more_clients_leave_so_much_less():
    few, many = (
        {one.mechanism.name: one.least for one in ranking(asked)}
        for asked in (ASKED, AssumedClients(**vars(ASKED) | {"clients": 2400}))
    )
    assert many == pytest.approx({name: sigma / 10 for name, sigma in few.items()})


def test_upside_down_budgets_are_refused():
    with pytest.raises(InvalidInput, match="the smallest budget is 9 and the largest 8"):
        ranking(AssumedClients(**vars(ASKED) | {"lowest": 9.0}))
