"""Same ε, different secrets: what a budget hides depends on the mechanism, and on what is asked."""

from ldp_core.presets.base import Preset

PRESET = Preset(
    order=8,
    label="Same ε, different secrets",
    question="Two mechanisms keep the same promise per weight. Does the server see the same?",
    lesson=(
        "Piecewise at ε 8 answers close to the truth, and the image comes back; Duchi at the same ε sends "
        "one bit a weight, and it does not. At ε 1 no picture is left, and still the server picks the right "
        "image out of ten more often than by chance: pixels die long before identity does."
    ),
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
