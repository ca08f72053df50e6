"""Scenario: PLDP-FL's main result as printed, and with a shorter range at the same ε."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import NumberQuestion, accuracy

PROMISE, REPAIR, CLEAN = "PLDP-FL, weights in ±1", "Duchi, changes in ±0.01", "FedAvg"
FITS = (
    "A change fits into ±0.01, a range a hundred times shorter: with Duchi's answers at the same ε "
    "for each weight the model ends near FedAvg."
)

PRESET = Preset(
    order=11,
    label="The promise and the repair",
    question="The paper's headline cannot be had as it is written. What saves it, at the same ε?",
    says=(
        (
            "As printed, with weights in ±1, the noise of a round is many times the size of a weight: the "
            "next clients begin from it, and their training leaves the numbers."
        ),
        FITS,
        (
            "It is still not private: the most cautious clients ask for ε 0.1 a weight, and over the 21 840 "
            "weights of one upload that adds up to 2 184."
        ),
    ),
    ask=NumberQuestion(
        "How accurate will Duchi's answers be, on changes in ±0.01?", (REPAIR,), accuracy, FITS
    ),
    base={"system": "pldp_fl", "dataset": "mnist", "rounds": 10, "attack": None},
    variants=(
        (PROMISE, {"form": "as_printed", "clients.range": 1.0}),
        (REPAIR, {"mechanism.name": "duchi", "target": "update", "clients.range": 0.01}),
        (CLEAN, {"mechanism.name": "none"}),
    ),
)
