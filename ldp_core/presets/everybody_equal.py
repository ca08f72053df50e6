"""Everybody equal: the aggregators coincide, the mechanism decides."""

from ldp_core.presets.base import Preset

PRESET = Preset(
    order=3,
    label="Everybody equal",
    question="If all ask for the same budget, what decides: the budget or the mechanism?",
    lesson=(
        "Equal budgets make all weightings the same. At ε 1 the mechanisms are close and PDPM comes last; as "
        "the budget grows, Piecewise approaches the truth while the two-outcome mechanisms stop improving."
    ),
    base={"clients": {"count": 20, "epsilon": 1}},
    variants=tuple(
        (f"{label} ε {epsilon}", {"mechanism.name": name, "clients.epsilon": epsilon})
        for epsilon in (1, 4, 8)
        for name, label in (("duchi", "Duchi"), ("pdpm", "PDPM"), ("piecewise", "Piecewise"))
    ),
)
