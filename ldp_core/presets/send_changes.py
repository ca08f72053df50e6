"""Send changes, not models: the range matters more than the aggregator."""

from ldp_core.presets.base import Preset

PRESET = Preset(
    order=4,
    label="Send changes, not models",
    question="Same clients, same budgets, same plain mean: what if they send only what changed?",
    lesson=(
        "Noise grows with the length of the safe range. A change fits into ±0.1 where the weights themselves "
        "need ±1: a hundred times less variance at the same ε per coordinate."
    ),
    base={"clients": {"count": 20, "epsilon": "half_and_half"}},
    variants=(
        ("weights in ±1", {"target": "weights", "clients.range": 1.0}),
        ("changes in ±0.1", {"target": "update", "clients.range": 0.1}),
    ),
)
