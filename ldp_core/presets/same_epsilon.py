"""Scenario: equal ε, different protection, depending on mechanism and attack."""

from ldp_core.presets.base import Preset
from ldp_core.presets.claims import Sentence, blurred, both, keeps, picks, recovers
from ldp_core.presets.evidence import Outcome
from ldp_core.presets.questions import Choice, gives_back

UNLIKE = Sentence(
    "Piecewise at ε 8 answers close to the truth, and the images come back; Duchi at "
    "the same ε answers with one of two values for each weight, and they do not.",
    both(recovers("Piecewise, ε 8"), keeps("Duchi, ε 8")),
)
WHOSE = ("both", "Piecewise only", "Duchi only", "neither")


def whose(piecewise: Outcome, duchi: Outcome) -> str:
    """Option for the variants under which an image was recovered."""
    close, coarse = gives_back(piecewise), gives_back(duchi)
    return WHOSE[2 * (not close) + (not coarse)]


PRESET = Preset(
    order=9,
    label="Same ε, different secrets",
    question="Two mechanisms keep the same promise per weight. Does the server see the same?",
    says=(
        UNLIKE,
        Sentence(
            "Piecewise at ε 1 leaves little more than a guess of the pixels, and still the "
            "server picks the right image out of ten more often than guessing would: here the "
            "pixels are lost before the identity is.",
            both(blurred("Piecewise, ε 1", below=16.5), picks("Piecewise, ε 1")),
        ),
    ),
    ask=Choice(
        "At ε 8, under which of them will an image come back?",
        ("Piecewise, ε 8", "Duchi, ε 8"),
        WHOSE,
        whose,
        UNLIKE,
    ),
    by="leak",
    base={
        "clients": {"count": 20, "epsilon": 8, "range": 0.2},
        "local": {"epochs": 1, "learning_rate": 0.1},
        "rounds": 5,
    },
    variants=(
        ("Piecewise, ε 8", {"mechanism.name": "piecewise"}),
        ("Duchi, ε 8", {"mechanism.name": "duchi"}),
        ("Piecewise, ε 1", {"mechanism.name": "piecewise", "clients.epsilon": 1}),
    ),
)
