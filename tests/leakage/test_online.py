"""Attacks during a run: those of several rounds are computed at once."""

from typing import Any

import pytest

from ldp_core.experiment import parse
from ldp_core.leakage import online
from ldp_core.runs.lockstep import drive

ATTACKED = [
    {"attack": {"attacker": "posterior", "rounds_observed": 2}},
    {"attack": {"attacker": "trimmed"}, "clients": {"epsilon": 30.0}},
    {"attack": {"attacker": "rank_one"}, "mechanism": "gaussian", "target": "update"},
]


@pytest.mark.parametrize("changes", ATTACKED)
def test_rounds_attacked_together_have_each_ones_bits(changes, monkeypatch):
    experiment = parse({"rounds": 3, **changes})

    def attacks() -> list[Any]:
        turns = [[e for e in turn.events if e["event"] == "attack"] for turn in drive({0: experiment})]
        return [turn for turn in turns if turn]

    together = attacks()
    monkeypatch.setattr(online, "AT_ONCE", 1)
    alone = attacks()
    assert (len(together), len(alone)) == (1, 3)
    assert together[0] == [event for turn in alone for event in turn]
