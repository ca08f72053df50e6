"""Scenario: noise averages out for an observer of several uploads of the same values."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import first_that, gives_back

SEEN = {"seen once": "once", "ten times": "ten times", "a hundred times": "a hundred times"}
AVERAGES_OUT = (
    "The noise of many uploads averages out, and the picture sharpens: seen once it is not "
    "recovered, seen 100 times it is."
)

PRESET = Preset(
    order=10,
    label="Again and again",
    question="A client sends the same values once, ten times, a hundred times. What is still hidden?",
    says=(
        AVERAGES_OUT,
        (
            "The ε of one upload is the same in all three runs; what bounds the server's view is the sum "
            "over every upload of the same values."
        ),
    ),
    ask=first_that(
        "How often must the server see the same values until an image comes back?",
        SEEN,
        gives_back,
        "more often",
        AVERAGES_OUT,
    ),
    by="leak",
    base={
        "clients": {"count": 20, "epsilon": 2, "range": 0.2},
        "local": {"epochs": 1, "learning_rate": 0.1},
        "rounds": 3,
    },
    variants=(
        ("seen once", {"attack.rounds_observed": 1}),
        ("ten times", {"attack.rounds_observed": 10}),
        ("a hundred times", {"attack.rounds_observed": 100}),
    ),
)
