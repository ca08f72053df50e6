"""All five systems, corrected: images are identified by the law of what is sent, over whole runs."""

from functools import cache

import pytest
import torch
from scipy.stats import binom

from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.federated.state import State
from ldp_core.leakage.over_rounds import RecoveredShare, picked
from ldp_core.presets.of_systems.five_side_by_side import BASE, FIVE, variants
from ldp_core.simulate import simulate
from tests.data import digits

CPU = torch.device("cpu")
LUCK = 1e-7
"""The false-alarm rate of each check."""


@cache
def ran(label: str, epsilon: float) -> tuple[Experiment, tuple[State, ...]]:
    ((_, changes),) = variants({label: epsilon})
    experiment = changed(parse(BASE), changes)
    states: list[State] = []
    list(simulate(experiment, digits(), CPU, keep=states.append))
    return experiment, tuple(states[:-1])


def shares(label: str, epsilon: float, images: int = 1) -> dict[str | None, RecoveredShare]:
    experiment, states = ran(label, epsilon)
    return picked(plan(experiment), digits(), states, images)


@pytest.mark.parametrize("label", FIVE)
def test_tiny_budget_is_chance_and_no_noise_is_certain(label: str):
    """300 trials as sent; both controls always succeed, also through layers that clients keep, weights that
    they leave out and ranges that follow layers.
    """
    found = shares(label, 1e-4, images=2)
    assert found["clean"].value == found["clipped"].value == 1.0
    hits, trials = found[None].hits, found[None].trials
    assert trials == 300
    assert binom.sf(int(hits) - 1, trials, 0.1) > LUCK and binom.cdf(int(hits) + 1, trials, 0.1) > LUCK


def test_a_budget_buys_the_attacker_something():
    """Personalised layers, too: an attacker who did not know them would be at a loss after a few rounds."""
    few, many = (shares("PD-LDPFL", epsilon)[None] for epsilon in (1e-4, 50.0))
    assert few.interval[1] < 0.3 and many.interval[0] > 0.9


def test_partial_uploads_identify_images():
    """PPRD-FL sends four fifths of its weights; its shorter uploads are read as they are shortened."""
    assert shares("PPRD-FL", 600.0)[None].value > 0.6


def test_an_unknown_law_is_refused():
    """Of a part of a vector that is answered as one."""
    experiment, states = ran("PPRD-FL", 600.0)
    with pytest.raises(InvalidInput, match="choose another mechanism"):
        picked(
            plan(changed(experiment, {"form": "corrected", "mechanism.name": "harmony"})), digits(), states
        )
