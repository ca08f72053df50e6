"""Scenario: sending changes instead of weights; the range matters more than the aggregator."""

from ldp_core.presets.base import Preset
from ldp_core.presets.claims import Sentence, picks_more, ranked, times_the_noise
from ldp_core.presets.questions import Figure, accuracy

WEIGHTS, CHANGES = "weights in ±1", "changes in ±0.1"
SHORTER = Sentence(
    "A change fits into ±0.1 where the weights themselves need ±1, and noise grows with"
    " the length of the range: at the same ε per weight the model learns far more.",
    ranked(CHANGES, WEIGHTS, by=0.3),
)

PRESET = Preset(
    order=4,
    label="Send changes, not models",
    question="Same clients, same budgets, same plain mean: what if they send only what changed?",
    says=(
        SHORTER,
        Sentence(
            "In one round the noise has about a hundred times less variance.",
            times_the_noise(WEIGHTS, CHANGES, 70, 150),
        ),
        Sentence(
            "But changes are added up, and their noise with them: over the fifteen rounds about"
            " seven times less is left.",
            times_the_noise(WEIGHTS, CHANGES, 4.5, 10, added_up=True),
        ),
        Sentence(
            "The attacker gains as the model does: which image a cautious client sent is picked"
            " right more often.",
            picks_more(CHANGES, WEIGHTS, clients=[0]),
        ),
    ),
    ask=Figure("How accurate will the model be where changes are sent?", (CHANGES,), accuracy, SHORTER),
    base={"clients": {"count": 20, "epsilon": "half_and_half"}},
    variants=(
        (WEIGHTS, {"target": "weights", "clients.range": 1.0}),
        (CHANGES, {"target": "update", "clients.range": 0.1}),
    ),
)
