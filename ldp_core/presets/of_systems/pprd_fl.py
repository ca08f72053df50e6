"""Scenario: PPRD-FL, small; R-PSS with its other weights sent in clear, not sent, or perturbed."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import NumberQuestion, accuracy

CLEAR, NOISED, KEPT, HONEST = "half in clear", "all perturbed", "half not sent", "corrected"
ONLY_CHANCE = "Divided by nothing, as shortened weights ask for, it leaves only chance: the honest form."

PRESET = Preset(
    order=14,
    label="PPRD-FL",
    question="Perturb only the weights that matter: is that a better trade, or a part without noise?",
    says=(
        (
            "Half of the weights in clear is more accurate than all of them perturbed. Nothing else "
            "differs, so this gain is what was not protected."
        ),
        "Not sent at all, the same half leaves less to learn from than sent in clear.",
        ONLY_CHANCE,
        (
            "As printed the noise is divided by the images of a client, 287 here and 6 000 in the paper's "
            "own run: an upload with all weights perturbed that asks for ε 0.7 is promised more than ε 1 000."
        ),
    ),
    ask=NumberQuestion(
        "How accurate will the corrected form be, its noise divided by nothing?",
        (HONEST,),
        accuracy,
        ONLY_CHANCE,
    ),
    base={
        "system": {"name": "pprd_fl", "selected": 0.5},
        "dataset": "digits",
        "clients": {"epsilon": 0.7},
        "model": "logistic_regression",
        "form": "as_printed",
        "attack": None,
    },
    variants=(
        (CLEAR, {}),
        (NOISED, {"system.rest": "noised"}),
        (KEPT, {"system.rest": "kept"}),
        (HONEST, {"form": "corrected"}),
    ),
    seeds=5,
)
