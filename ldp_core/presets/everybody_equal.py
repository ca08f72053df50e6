"""Scenario: with equal budgets all aggregators coincide, and the mechanism decides."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import most_accurate

TWO_ANSWERS = (
    "From ε 4 to ε 8 the noise of Piecewise falls about 12 times, while that of Duchi and PDPM "
    "hardly falls any more: an answer that is one of two values cannot come close to the truth."
)

PRESET = Preset(
    order=3,
    label="Everybody equal",
    question="If all ask for the same budget, what decides: the budget or the mechanism?",
    says=(
        "With equal budgets, weighting by noise is a plain mean: what is left to choose is the mechanism.",
        "At ε 1 Duchi and Piecewise leave nearly the same noise, and PDPM about 1.5 times as much.",
        TWO_ANSWERS,
        "So Piecewise is ahead of both there.",
    ),
    ask=most_accurate(
        "Which mechanism will be the most accurate at ε 8?",
        ("Duchi ε 8", "PDPM ε 8", "Piecewise ε 8"),
        TWO_ANSWERS,
    ),
    base={"clients": {"count": 20, "epsilon": 1}},
    variants=tuple(
        (f"{label} ε {epsilon}", {"mechanism.name": name, "clients.epsilon": epsilon})
        for epsilon in (1, 4, 8)
        for name, label in (("duchi", "Duchi"), ("pdpm", "PDPM"), ("piecewise", "Piecewise"))
    ),
)
