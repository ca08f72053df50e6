"""Scenario: Personalized LDP-FL on digits; plain mean, 1/σ, lottery, and weights of least noise."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import ordered

A, B, C, BEST = "A mean", "B 1/σ", "C lottery", "1/σ²"
LEAST = (
    "Of those that hear everybody in each round 1/σ² leaves the least noise, and beats the plain mean as "
    "well: nearly all the weight lies on the generous client."
)

PRESET = Preset(
    order=13,
    label="Personalized LDP-FL",
    question="Two cautious clients and a generous one: whom should the server listen to?",
    says=(
        (
            "As the paper says, weights by 1/σ beat the plain mean, and the paper's own noise leaves them "
            "far ahead."
        ),
        LEAST,
        "The lottery hears the generous client alone, or everybody, or nobody.",
        "Who asked for ε 1 is promised more than 10 for a single weight: equation (4) knows no range.",
        "The system has settings for Fashion-MNIST and cover types as well, and runs on MNIST.",
    ),
    ask=ordered("In which order will they end, the least accurate first?", (A, B, BEST), LEAST),
    base={"system": "personalized_ldp_fl", "dataset": "digits", "form": "as_printed"},
    variants=(
        (A, {"aggregator.name": "mean"}),
        (B, {"aggregator.name": "inverse_std"}),
        (C, {"aggregator.name": "probability_selection"}),
        (BEST, {"aggregator.name": "inverse_variance"}),
    ),
    seeds=5,
)
