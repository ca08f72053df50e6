"""Scenario: with equal budgets all aggregators coincide, and the mechanism decides."""

from ldp_core.presets.base import Preset
from ldp_core.presets.claims import Sentence, both, every, ranked, times_the_noise
from ldp_core.presets.questions import most_accurate

TWO_ANSWERS = Sentence(
    "From ε 4 to ε 8 the noise of Piecewise falls about twelvefold, while that of Duchi"
    " and PDPM hardly falls any more: an answer that is one of two values cannot come "
    "close to the truth.",
    both(
        times_the_noise("Piecewise ε 4", "Piecewise ε 8", 9, 16),
        times_the_noise("Duchi ε 4", "Duchi ε 8", 0.9, 1.4),
        times_the_noise("PDPM ε 4", "PDPM ε 8", 0.9, 1.4),
    ),
)

PRESET = Preset(
    order=3,
    label="Everybody equal",
    question="If all ask for the same budget, what decides: the budget or the mechanism?",
    says=(
        Sentence(
            "With equal budgets, weighting by noise is a plain mean: what is left to choose is the mechanism."
        ),
        Sentence(
            "At ε 1 Duchi and Piecewise leave nearly the same noise, and PDPM half as much again.",
            both(
                times_the_noise("Piecewise ε 1", "Duchi ε 1", 0.85, 1.15),
                times_the_noise("PDPM ε 1", "Duchi ε 1", 1.35, 1.8),
            ),
        ),
        TWO_ANSWERS,
        Sentence(
            "So Piecewise is ahead of both there.",
            every(
                ranked(f"Piecewise ε {epsilon}", f"{other} ε {epsilon}")
                for epsilon in (4, 8)
                for other in ("Duchi", "PDPM")
            ),
        ),
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
