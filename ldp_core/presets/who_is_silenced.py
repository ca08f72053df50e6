"""Scenario: weights by noise favour clients with large ε, and lose classes that only others hold."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import NumberQuestion, named_right

LATE = range(5, 10)
"""Digits that only clients with a small ε hold."""
SILENCED = (
    "Weighting by 1/σ² gives nearly all the weight to clients who hold only the digits "
    "0 to 4: the model names not one of the digits 5 to 9 right, and no single figure "
    "of accuracy shows that."
)

PRESET = Preset(
    order=5,
    label="Who is silenced",
    question="Six generous clients have never seen the digits 5 to 9. Who pays if the server trusts them?",
    says=(
        SILENCED,
        ("Allowing for a variance between clients, 1/(σ²+κ²), lets the cautious back in and repairs a part."),
        "Over all ten digits it came out ahead of both the others.",
    ),
    ask=NumberQuestion(
        "Of the digits 5 to 9, what share will 1/σ² name right?", ("1/σ²",), named_right(LATE), SILENCED
    ),
    base={"clients": {"count": 30, "epsilon": [1.0] * 24 + [8.0] * 6}, "partition": {"kind": "group_labels"}},
    variants=(
        ("mean", {"aggregator.name": "mean"}),
        ("1/σ²", {"aggregator.name": "inverse_variance"}),
        ("1/(σ²+κ²)", {"aggregator.name": "inverse_variance", "aggregator.between": 1.0}),
    ),
    seeds=5,
)
