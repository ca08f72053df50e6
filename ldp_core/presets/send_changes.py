"""Scenario: sending changes instead of weights; the range matters more than the aggregator."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import NumberQuestion, accuracy

WEIGHTS, CUT, CHANGES = "weights in ±1", "weights in ±0.1", "changes in ±0.1"
SHORTER = (
    "Noise grows with the length of the range: at the same ε, weights cut to ±0.1 end above 55 %, "
    "those cut to ±1 below 25 %. Changes fit into ±0.1, where weights are cut by it, and end above "
    "85 %."
)

PRESET = Preset(
    order=4,
    label="Send changes, not models",
    question="Same clients, same budgets, same plain mean: what if they send only what changed?",
    says=(
        SHORTER,
        (
            "In one round the noise of changes has about 100 times less variance than that of weights in "
            "±1. But changes are added up, and their noise with them: over the 15 rounds about 7 times less"
            " is left."
        ),
        (
            "The attacker gains from the shorter range as well: which image a cautious client sent is picked "
            "right more often with ±0.1 than with ±1."
        ),
    ),
    ask=NumberQuestion(
        "How accurate will the model be where changes are sent?", (CHANGES,), accuracy, SHORTER
    ),
    base={"clients": {"count": 20, "epsilon": "half_and_half"}, "target": "update"},
    variants=(
        (WEIGHTS, {"target": "weights", "clients.range": 1.0}),
        (CUT, {"target": "weights", "clients.range": 0.1}),
        (CHANGES, {"target": "update", "clients.range": 0.1}),
    ),
)
