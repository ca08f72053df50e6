"""Scenario: attack on the weights that R-PSS sends in clear; a whole image from a fifth of an upload."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import gives_back, yes_or_no

CLEAR, LOUD, NOISED = "20 % in clear", "the same, louder", "all perturbed"
SIGNS = "20 % in clear, Adam"
HARDLY_MOVED = (
    "The image comes back, although nobody says which weights are without noise: they are the ones "
    "that hardly moved."
)

PRESET = Preset(
    order=15,
    label="A fifth in clear",
    question="Four weights of five have noise. What can the server make of the fifth?",
    says=(
        HARDLY_MOVED,
        "With every weight perturbed, at the same noise, no image comes back.",
        "Eight times the noise hides nothing more: it makes the weights without any easier to tell.",
        (
            "The paper trains with Adam, of which a single step tells signs and no sizes: what comes back "
            "there is the outline, as from an upload without noise."
        ),
    ),
    ask=yes_or_no(
        "Nobody says which fifth is without noise: will an image come back?",
        (CLEAR,),
        gives_back,
        HARDLY_MOVED,
    ),
    base={
        "system": "pprd_fl",
        "dataset": "digits",
        "form": "as_printed",
        "clients": {"epsilon": 8},
        "model": {"name": "mlp", "hidden": 128},
        "local": {"optimizer": "sgd", "epochs": 5, "batch_size": 10, "learning_rate": 0.01},
        "rounds": 4,
    },
    variants=(
        (CLEAR, {}),
        (LOUD, {"clients.epsilon": 1}),
        (NOISED, {"system.selected": 1}),
        (SIGNS, {"local.optimizer": "adam"}),
    ),
)
