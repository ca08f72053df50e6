"""Who is silenced: weights by noise listen to the permissive, and forget what only the others know."""

from ldp_core.presets.base import Preset

PRESET = Preset(
    order=5,
    label="Who is silenced",
    question="Six generous clients have never seen the digits 5 to 9. Who pays if the server trusts them?",
    lesson=(
        "Weighting by 1/σ² gives nearly all the weight to clients who hold only the digits 0 to 4: the "
        "model forgets the rest, and the average hides it. Allowing for a variance between clients, "
        "1/(σ²+τ²), lets the cautious back in and repairs a part."
    ),
    base={
        "clients": {"count": 30, "epsilon": [1.0] * 24 + [8.0] * 6},
        "partition": {"kind": "group_labels"},
    },
    variants=(
        ("mean", {"aggregator.name": "mean"}),
        ("1/σ²", {"aggregator.name": "inverse_variance"}),
        ("1/(σ²+τ²)", {"aggregator.name": "inverse_variance", "aggregator.between": 1.0}),
    ),
)
