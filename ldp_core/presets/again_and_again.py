"""Again and again: noise averages out for whoever sees the same values more than once."""

from ldp_core.presets.base import Preset

PRESET = Preset(
    order=9,
    label="Again and again",
    question="A client sends the same values once, ten times, a hundred times. What is still hidden?",
    lesson=(
        "The noise of T uploads averages out like 1/√T, and the budget that they cost adds up: the ε of one "
        "upload never changed, and the picture sharpens all the same."
    ),
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
    seeds=1,
)
