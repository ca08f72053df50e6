"""Scenario: two clients with large ε among twenty; the default demonstration."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import NumberQuestion, accuracy

DROWNS = "The plain mean listens to all alike, and drowns in the noise of the eighteen."

PRESET = Preset(
    order=1,
    label="Two volunteers among twenty",
    question=(
        "Two of twenty clients offer sixteen times the budget of the rest. Whom should the server listen to?"
    ),
    says=(
        DROWNS,
        (
            "Weighting by 1/σ helps; weighting by 1/σ², which hears little but the two "
            "volunteers, does best on average."
        ),
        (
            "The image of the volunteer under attack comes back in some round under every weighting: it is "
            "the ε of 8 that costs it, and no aggregator prevents it."
        ),
    ),
    ask=NumberQuestion("How accurate will the plain mean be?", ("mean",), accuracy, DROWNS),
    base={"clients": {"count": 20, "epsilon": "two_volunteers"}},
    variants=(
        ("mean", {"aggregator.name": "mean"}),
        ("1/σ", {"aggregator.name": "inverse_std"}),
        ("1/σ²", {"aggregator.name": "inverse_variance"}),
    ),
)
