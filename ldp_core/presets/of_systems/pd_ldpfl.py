"""Scenario: PD-LDPFL, small; with both personal layers, one, none, and a public factor instead."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import yes_or_no

FEDAVG, OURS, GAIN, LOUD = "no personal layers", "PD-LDPFL", "public gain instead", "as printed, ε 2"
DOUBLED = (
    "So it does if pixels and scores are simply doubled, the same for everybody, nothing "
    "personal: that is ahead of no layers as well."
)

PRESET = Preset(
    order=16,
    label="PD-LDPFL",
    question="Each client keeps a layer before and after the network: what makes it learn faster?",
    says=(
        "The network learns faster between personal layers than without them, as the paper says.",
        DOUBLED,
        (
            "As printed, the noise is scaled to the largest weight, which noise makes larger: at ε 2 the "
            "weights leave the numbers."
        ),
        "ε 8 is for each weight: over the 6 570 of an upload it adds up to 52 560.",
        "The paper's own run is this system on MNIST.",
    ),
    ask=yes_or_no(
        "A public gain, the same for everybody: will it beat no personal layers?",
        (GAIN, FEDAVG),
        lambda gain, without: gain.accuracy > without.accuracy,
        DOUBLED,
    ),
    base={"system": "pd_ldpfl", "dataset": "digits", "rounds": 30},
    variants=(
        (FEDAVG, {"system.input": "none", "system.output": "none"}),
        (OURS, {}),
        (GAIN, {"system.input": "gain", "system.output": "gain"}),
        (LOUD, {"form": "as_printed", "clients.epsilon": 2}),
    ),
    seeds=5,
)
