"""Scenario: with many clients without noise, any weighting succeeds."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import yes_or_no

ANY_WILL_DO = (
    "Ten clients send almost clean weights: whether they are preferred by 1/σ or by "
    "1/σ² makes next to no difference."
)

PRESET = Preset(
    order=2,
    label="Half and half",
    question="Ten cautious clients, ten generous ones: does it still matter how they are weighted?",
    says=(ANY_WILL_DO, "Only the plain mean, which listens to all alike, still drowns."),
    ask=yes_or_no(
        "Will 1/σ² end more than 5 points ahead of 1/σ?",
        ("1/σ²", "1/σ"),
        lambda square, plain: square.accuracy > plain.accuracy + 0.05,
        ANY_WILL_DO,
    ),
    base={"clients": {"count": 20, "epsilon": "half_and_half"}},
    variants=(
        ("mean", {"aggregator.name": "mean"}),
        ("1/σ", {"aggregator.name": "inverse_std"}),
        ("1/σ²", {"aggregator.name": "inverse_variance"}),
    ),
)
