"""What has changed since a ladder was climbed, said in the words of the attacker's desk."""

from typing import Any

import pytest

from ldp_core.experiment.attack_grid import parse_ladder
from pages.parts.attack.settings import ladder_changes

BASE: dict[str, Any] = {"local": {"epochs": 1}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"epsilons": [1.0, 2.0]}, "budgets"),
        ({"upload": "real"}, "kind of upload one image, one step → its real upload"),
        ({"attacker": "posterior"}, "attacker the one that suits → "),
        ({"client": 5}, "client 1 → 5"),
        ({"rounds_observed": 10, "round": 2}, "uploads seen 1 → 10, round of training 1 → 2"),
        ({"base": BASE | {"clients": {"range": 0.1}}}, "safe ranges"),
    ],
)
def test_changed_ladder_fields_are_named(change: dict[str, Any], said: str):
    before, now = parse_ladder({"base": BASE}), parse_ladder({"base": BASE} | change)
    result = ladder_changes(before, now)
    assert result.startswith(said)
    assert bool(result) == bool(said)


def test_fields_set_by_the_ladder_are_no_change():
    idle = {"mechanism": "duchi", "attack": None, "aggregator": "inverse_variance", "seed": 4, "name": "mine"}
    others = {"clients": {"epsilon": 3.0, "run_limit": 50.0}}
    assert ladder_changes(parse_ladder({"base": BASE}), parse_ladder({"base": BASE | idle | others})) == ""
