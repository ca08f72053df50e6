"""Twenty images, one upload: a wide ReLU layer gives away part of a batch."""

from ldp_core.presets.base import Preset

PRESET = Preset(
    order=7,
    label="Twenty images, one upload",
    question="A client trains one step on its twenty images. How many of them are in what it uploads?",
    lesson=(
        "Without noise, each unit that only one image activates shows that image: a large share of the batch "
        "comes back, by division alone. Piecewise at ε 8 and Duchi give none back; at ε 20 Piecewise is so "
        "narrow that the images return. The audit upload beside it, one image alone, is the worst case."
    ),
    base={
        "dataset": "mnist",
        "model": {"name": "mlp", "hidden": 256},
        "clients": {"count": 3000, "epsilon": 8, "range": 0.2},
        "selection": {"kind": "fraction", "fraction": 0.01},
        "local": {"epochs": 1, "batch_size": 20, "learning_rate": 0.1},
        "attack": {"uploads": "both"},
        "rounds": 3,
    },
    variants=(
        ("no LDP", {"mechanism.name": "none"}),
        ("Piecewise, ε 8", {"mechanism.name": "piecewise"}),
        ("Piecewise, ε 20", {"mechanism.name": "piecewise", "clients.epsilon": 20}),
        ("Duchi, ε 8", {"mechanism.name": "duchi"}),
    ),
    seeds=1,
)
