"""Scenario: gradient inversion through the papers' network, which has no closed form."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import closest

CLEAN, MILD, STRICT, DUCHI = "no LDP", "Piecewise, ε 12", "Piecewise, ε 4", "Duchi, ε 12"
ONE_BIT = (
    "At the same ε 12 Duchi's two answers leave nothing to see, while Piecewise, which answers close to "
    "the truth, leaves a picture that can be read."
)

PRESET = Preset(
    order=8,
    label="A picture forms",
    question="Nothing can be divided out of a network with convolutions. Can the server still see the image?",
    says=(
        (
            "It can: the server searches for a picture whose gradient points the same way as the one that "
            "was sent, and step by step a likeness forms."
        ),
        ONE_BIT,
        "At ε 4 Piecewise hides it as well.",
        "Which image it was made of, out of ten, the server tells far below that.",
        "The model hardly feels any of it: all four learn about as well.",
    ),
    ask=closest("Both at ε 12: under which will the picture come closer?", (MILD, DUCHI), ONE_BIT),
    by="leak",
    base={
        "dataset": "mnist_sample",
        "model": "cnn",
        "clients": {"count": 20, "epsilon": 12, "range": 0.2},
        "local": {"epochs": 1, "learning_rate": 0.1},
        "rounds": 5,
        # by name: by itself the search would do less, so as not to take longer than these few rounds
        "attack": {"attacker": "cosine_tv", "rounds": [1]},
    },
    variants=(
        (CLEAN, {"mechanism.name": "none"}),
        (MILD, {"mechanism.name": "piecewise"}),
        (STRICT, {"mechanism.name": "piecewise", "clients.epsilon": 4}),
        (DUCHI, {"mechanism.name": "duchi"}),
    ),
)
