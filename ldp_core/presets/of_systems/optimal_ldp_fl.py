"""Scenario: Optimal LDP-FL, small; one weight per layer, of weights and of changes, beside all weights."""

from ldp_core.presets.base import Preset
from ldp_core.presets.claims import Sentence, both, budget, diverges, ranked, reaches
from ldp_core.presets.questions import Figure, accuracy

WEIGHTS, PRINTED, CHANGES, LDPFL = "weights", "weights, as printed", "changes in ±0.02", "LDP-FL, weights"
TOO_LOUD = Sentence(
    "Of weights it is not: what the answers leave at the server is larger than the weights themselves.",
    reaches(WEIGHTS, high=0.25),
)

PRESET = Preset(
    order=18,
    label="Optimal LDP-FL",
    question="Two hundred clients answer for one weight of each layer: is that enough?",
    says=(
        TOO_LOUD,
        Sentence(
            "As printed the ranges follow the noisy model without an end, until training leaves the numbers.",
            diverges(PRINTED),
        ),
        Sentence(
            "The same answers for changes in a short range learn.",
            both(ranked(CHANGES, WEIGHTS, by=0.15), reaches(CHANGES, 0.3)),
        ),
        Sentence(
            "LDP-FL answers for every weight and is ahead, but its ε 10 is for each of 650, where Optimal "
            "LDP-FL has it once: 6 500 against 10 an upload.",
            both(
                ranked(LDPFL, CHANGES, by=0.05),
                budget(LDPFL, "upload", 6499, 6501),
                budget(CHANGES, "upload", 9.9, 10.1),
            ),
        ),
        Sentence(
            "Shuffling would hide whose a message is, if there were somebody to shuffle whom everybody "
            "trusts."
        ),
    ),
    ask=Figure("How accurate will the model be where weights are sent?", (WEIGHTS,), accuracy, TOO_LOUD),
    base={"system": "optimal_ldp_fl", "dataset": "digits", "clients": {"epsilon": 10}},
    variants=(
        (WEIGHTS, {}),
        (PRINTED, {"form": "as_printed"}),
        (CHANGES, {"target": "update", "clients.range": 0.02}),
        (LDPFL, {"mechanism.name": "duchi"}),
    ),
)
