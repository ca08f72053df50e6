"""What has changed since a ladder was climbed, said in the words of the attacker's desk."""

from typing import Any

from ldp_core.experiment.attack_grid import parse_ladder
from pages.parts.attack.settings import ladder_changes

BASE: dict[str, Any] = {"local": {"epochs": 1}}


def test_fields_set_by_the_ladder_are_no_change():
    idle = {"mechanism": "duchi", "attack": None, "aggregator": "inverse_variance", "seed": 4, "name": "mine"}
    others = {"clients": {"epsilon": 3.0, "run_limit": 50.0}}
    assert ladder_changes(parse_ladder({"base": BASE}), parse_ladder({"base": BASE | idle | others})) == ""
