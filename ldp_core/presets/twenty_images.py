"""Scenario: a wide ReLU layer reveals part of a batch of twenty images in one upload."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import NumberQuestion, images_back

BY_DIVISION = (
    "Without noise, a unit that only one image activates shows that image: more than 8 of the 20 "
    "come back, by division alone."
)

PRESET = Preset(
    order=7,
    label="Twenty images, one upload",
    question="A client trains one step on its twenty images. How many of them are in what it uploads?",
    says=(
        BY_DIVISION,
        (
            "Of a real upload Piecewise and Duchi at ε 8 give 0 back; at ε 20 Piecewise is so narrow that "
            "more than 8 of the 20 return."
        ),
        "An upload of one image alone is the worst case, and there even Piecewise at ε 8 gives it back.",
    ),
    ask=NumberQuestion(
        "Without noise, how many of the twenty images will come back?",
        ("no LDP",),
        images_back,
        BY_DIVISION,
        most=20,
        unit="",
    ),
    by="leak",
    base={
        "dataset": "mnist_sample",
        "model": {"name": "mlp", "hidden": 256},
        "clients": {"count": 250, "epsilon": 8, "range": 0.2},
        "selection": {"kind": "fraction", "fraction": 0.12},
        "local": {"epochs": 1, "batch_size": 20, "learning_rate": 0.1},
        "attack": {"uploads": "both", "rounds": [1, 2, 3]},
        "rounds": 3,
    },
    variants=(
        ("no LDP", {"mechanism.name": "none"}),
        ("Piecewise, ε 8", {"mechanism.name": "piecewise"}),
        ("Piecewise, ε 20", {"mechanism.name": "piecewise", "clients.epsilon": 20}),
        ("Duchi, ε 8", {"mechanism.name": "duchi"}),
    ),
)
