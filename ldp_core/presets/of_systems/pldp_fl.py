"""Scenario: PLDP-FL, small; the paper's mechanism in both forms, its baseline, and no noise."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import NumberQuestion, accuracy

PRINTED, CORRECTED, BASELINE, CLEAN = "as printed", "corrected", "Laplace in ±1", "no noise"
SHORT = "Short ranges are what saves accuracy: the paper's baseline, Laplace in ±1 for all, ends below 50 %."

PRESET = Preset(
    order=12,
    label="PLDP-FL",
    question="Everybody picks a range and a budget, and PDPM answers: what does its own paper's form cost?",
    says=(
        (
            "As printed, the low answer is split into two that hide nothing: the noise variance is about "
            "1.4 times that of the corrected form."
        ),
        SHORT,
        "Without noise it learns more than in either form.",
        "The first client's ε 0.9 is for each weight: over the 650 of an upload it adds up to 585.",
        "The paper's own run is this system on MNIST, with its convolutional network.",
    ),
    ask=NumberQuestion(
        "How accurate will the baseline be, Laplace in ±1 for all?", (BASELINE,), accuracy, SHORT
    ),
    base={
        "system": "pldp_fl",
        "dataset": "digits",
        "clients": {"epsilon": "eps3"},
        "local": {"learning_rate": 0.5},
        "rounds": 15,
    },
    variants=(
        (PRINTED, {"form": "as_printed"}),
        (CORRECTED, {"form": "corrected"}),
        (BASELINE, {"mechanism.name": "laplace", "clients.range": 1.0}),
        (CLEAN, {"mechanism.name": "none"}),
    ),
    seeds=5,
)
