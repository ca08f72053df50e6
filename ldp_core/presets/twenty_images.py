"""Scenario: a wide ReLU layer reveals part of a batch of twenty images in one upload."""

from ldp_core.presets.base import Preset
from ldp_core.presets.claims import Sentence, both, recovers, returns
from ldp_core.presets.questions import Figure, images_back

BY_DIVISION = Sentence(
    "Without noise, a unit that only one image activates shows that image: about half "
    "of the batch comes back, by division alone.",
    returns("no LDP", 0.3, 0.9),
)

PRESET = Preset(
    order=7,
    label="Twenty images, one upload",
    question="A client trains one step on its twenty images. How many of them are in what it uploads?",
    says=(
        BY_DIVISION,
        Sentence(
            "Of a real upload Piecewise and Duchi at ε 8 give none back; at ε 20 Piecewise is "
            "so narrow that the images return.",
            both(
                returns("Piecewise, ε 8", high=0.0),
                returns("Duchi, ε 8", high=0.0),
                returns("Piecewise, ε 20", 0.3, 0.9),
            ),
        ),
        Sentence(
            "An upload of one image alone is the worst case, and there even Piecewise at ε 8 gives it back.",
            recovers("Piecewise, ε 8"),
        ),
    ),
    ask=Figure(
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
