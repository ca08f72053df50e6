"""Two volunteers among twenty: the default demonstration."""

from ldp_core.presets.base import Preset

PRESET = Preset(
    order=1,
    label="Two volunteers among twenty",
    question=(
        "Two of twenty clients offer sixteen times the budget of the rest. Whom should the server listen to?"
    ),
    lesson=(
        "The plain mean is as noisy as its noisiest clients. Weighting by 1/σ helps; weighting by 1/σ² finds "
        "the two volunteers. Their images come back under every weighting: it is their ε 8 that costs them."
    ),
    base={"clients": {"count": 20, "epsilon": "two_volunteers"}},
    variants=(
        ("mean", {"aggregator.name": "mean"}),
        ("1/σ", {"aggregator.name": "inverse_std"}),
        ("1/σ²", {"aggregator.name": "inverse_variance"}),
    ),
)
