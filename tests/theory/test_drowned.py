"""Where the noise is many times what weights can hold, it is said of any data, model and training."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_core.experiment import changed, parse
from ldp_core.theory import outlook
from tests.data import events

NETWORK: dict[str, Any] = {"model": {"name": "mlp", "hidden": 300}, "clients": {"count": 20, "epsilon": 0.02}}
"""Wider than any whose trained weights were measured."""
BEYOND: list[dict[str, Any]] = [
    NETWORK,
    NETWORK | {"partition": {"kind": "dirichlet", "alpha": 0.5}},
    NETWORK | {"local": {"optimizer": "adam", "learning_rate": 0.01}},
    NETWORK | {"target": "update", "clients": {"count": 20, "epsilon": 0.02, "range": 0.1}},
]


@pytest.mark.parametrize("changes", BEYOND)
def test_far_too_much_noise_is_chance_beyond_what_was_measured_and_comes_out_so(changes: dict[str, Any]):
    view = outlook(parse(changes | {"attack": None}))
    assert view.word == "chance"
    assert "any weights in these ranges" in view.why
    assert events(changes | {"attack": None, "rounds": 5})[-1]["accuracy"] < 0.35


@pytest.mark.parametrize("changes", BEYOND)
def test_near_what_they_can_hold_nothing_is_said(changes: dict[str, Any]):
    assert outlook(changed(parse(changes), {"clients.epsilon": 4.0})).word == "unknown"


def test_a_few_who_count_may_learn_for_themselves():
    alone = NETWORK | {"clients": {"count": 1, "epsilon": 0.02}}
    assert outlook(parse(alone)).word == "unknown"
