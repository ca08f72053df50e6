"""Scenario: equal ε, different protection, depending on mechanism and attack."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import CompletedRun, OptionQuestion, gives_back

UNLIKE = (
    "From Piecewise only: at ε 8 it answers close to the truth, and its closest picture is alike to more "
    "than 0.99. Duchi at the same ε answers with one of two values for each weight, and its closest "
    "picture is a blur, which can be read, or nearly, with 2 of 3 seeds."
)
WHOSE = ("both", "Piecewise only", "Duchi only", "neither")


def whose(piecewise: CompletedRun, duchi: CompletedRun) -> str | None:
    """Option for the variants whose uploads give the image back."""
    close, coarse = gives_back(piecewise), gives_back(duchi)
    return None if close is None or coarse is None else WHOSE[2 * (not close) + (not coarse)]


PRESET = Preset(
    order=9,
    label="Same ε, different secrets",
    question="Two mechanisms keep the same promise per weight. Does the server see the same?",
    says=(
        UNLIKE,
        (
            "Piecewise at ε 1 is blurred as well, and from it the server still picks the right image out of"
            " ten in more than 70 % of tries: pixels are lost before the identity is."
        ),
    ),
    ask=OptionQuestion(
        "At ε 8, which of them gives a close copy of the picture away?",
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
