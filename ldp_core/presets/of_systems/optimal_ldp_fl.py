"""Scenario: Optimal LDP-FL, small; one weight per layer, of weights and of changes, beside all weights."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import NumberQuestion, accuracy

WEIGHTS, PRINTED, CHANGES, LDPFL = "weights", "weights, as printed", "changes in ±0.02", "LDP-FL, weights"
TOO_LOUD = "Of weights it is not: what the answers leave at the server is larger than the weights themselves."

PRESET = Preset(
    order=18,
    label="Optimal LDP-FL",
    question="Two hundred clients answer for one weight of each layer: is that enough?",
    says=(
        TOO_LOUD,
        "As printed the ranges follow the noisy model without an end, until training leaves the numbers.",
        "The same answers for changes in a short range learn.",
        (
            "LDP-FL answers for every weight and is ahead, but its ε 10 is for each of 650, where Optimal "
            "LDP-FL has it once: 6 500 against 10 an upload."
        ),
        ("Shuffling would hide whose a message is, if there were somebody to shuffle whom everybody trusts."),
    ),
    ask=NumberQuestion(
        "How accurate will the model be where weights are sent?", (WEIGHTS,), accuracy, TOO_LOUD
    ),
    base={"system": "optimal_ldp_fl", "dataset": "digits", "clients": {"epsilon": 10}},
    variants=(
        (WEIGHTS, {}),
        (PRINTED, {"form": "as_printed"}),
        (CHANGES, {"target": "update", "clients.range": 0.02}),
        (LDPFL, {"mechanism.name": "duchi"}),
    ),
)
