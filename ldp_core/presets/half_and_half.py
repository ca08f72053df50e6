"""Half and half: with many clean clients, any weighting will do."""

from ldp_core.presets.base import Preset

PRESET = Preset(
    order=2,
    label="Half and half",
    question="Ten cautious clients, ten generous ones: does it still matter how they are weighted?",
    lesson=(
        "With ten clients that send almost clean weights, any weighting that prefers them comes close to the "
        "best. Only the plain mean, which listens to all alike, still drowns."
    ),
    base={"clients": {"count": 20, "epsilon": "half_and_half"}},
    variants=(
        ("mean", {"aggregator.name": "mean"}),
        ("1/σ", {"aggregator.name": "inverse_std"}),
        ("1/σ²", {"aggregator.name": "inverse_variance"}),
    ),
)
