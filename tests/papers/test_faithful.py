"""What each system sets as printed is what its paper prints, value by value."""

import json
from typing import Any

import pytest

from ldp_core import mechanisms
from ldp_core.experiment import amended

PRINTED = """
pldp_fl | local.epochs=5 local.batch_size=20 local.learning_rate=0.01 local.optimizer=sgd
pldp_fl | mechanism.name=pdpm target=weights aggregator.name=mean rounds=50
pldp_fl | clients.count=100 clients.epsilon=eps2 clients.range=tau1 selection.fraction=0.7
personalized_ldp_fl | system.start=zero mechanism.calibration=paper001 mechanism.sampling=0.8
personalized_ldp_fl | local.optimizer=optimal local.batch_size=50 clients.range=200.0
personalized_ldp_fl | clients.count=3 rounds=10 mechanism.delta=0.002
personalized_ldp_fl dataset=fashion_mnist | mechanism.sampling=0.9 system.images=paper
personalized_ldp_fl system.case=non_iid | mechanism.name=ldpsign clients.range=4.0
pprd_fl | local.optimizer=adam local.learning_rate=0.001 local.epochs=3 rounds=10
pprd_fl | aggregator.name=data_weighted mechanism.name=dynamic_gaussian mechanism.a=75.0
pd_ldpfl | aggregator.name=data_weighted mechanism.name=piecewise target=weights
pd_ldpfl | system.input=affine system.output=affine system.a=1.0 system.b=0.0
pd_ldpfl | clients.epsilon=8.0 local.learning_rate=0.05 rounds=50 partition.alpha=1.0
optimal_ldp_fl | mechanism.name=harmony selection.least=0.5 clients.count=200
"""


@pytest.mark.parametrize("row", PRINTED.strip().splitlines())
def test_system_sets_its_papers_printed_values(row: str):
    asked, wanted = row.split(" | ")
    name, *changes = asked.split()
    given = dict(one.split("=") for one in changes)
    found = amended({"system": {"name": name}, "form": "as_printed"}, given).as_json()
    values = dict(one.split("=") for one in wanted.split())
    assert {path: _at(found, path) for path in values} == values


def _at(found: Any, path: str) -> str:
    for name in path.split("."):
        found = found[name]
    return found if isinstance(found, str) else json.dumps(found)


def test_scaled_variance_follows_theorem_1_of_pd_ldpfl():
    m, v, half = 0.3, 0.2, 2.718281828459045**4
    printed = v**2 / (half - 1) + m**2 * (half + 3) / (3 * (half - 1) ** 2)
    assert float(mechanisms.get("piecewise").variance(v, 8.0, -m, m)) == pytest.approx(printed)
