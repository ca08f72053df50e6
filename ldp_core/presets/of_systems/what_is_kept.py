"""Scenario: attacks on personal layers by the plain closed form, up to contrast, and by inferring them."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import closest

NOTHING, PLAIN, STRETCHED = "nothing kept, plain", "layers kept, plain", "layers kept, up to contrast"
SOLVED = "layers kept, solved for"
STRETCH = (
    "Stretched to the range of an image, the same answer is far clearer; clearer still is what is "
    "left when b is taken out, which the server has added up from what the client has sent."
)

PRESET = Preset(
    order=17,
    label="What is kept",
    question="Each client keeps a layer that nobody sees: does that hide its images?",
    says=(
        (
            "Without such layers an image comes back as it is, and in the first round with them as well: "
            "they begin by changing nothing."
        ),
        "Later the plain attack reads ax + b in place of the image x, and is usually below 25 dB.",
        STRETCH,
        "Nothing is perturbed here: whatever hides an image is the layers.",
    ),
    ask=closest(
        "Where layers are kept, which attack will come closest?", (PLAIN, STRETCHED, SOLVED), STRETCH
    ),
    base={
        "system": "pd_ldpfl",
        "dataset": "digits",
        "mechanism": "none",
        "rounds": 17,
        "attack": {"attacker": {"name": "least_squares"}, "every": 4},
    },
    variants=(
        (NOTHING, {"system.input": "none", "system.output": "none"}),
        (PLAIN, {}),
        (STRETCHED, {"attack.attacker.name": "up_to_contrast"}),
        (SOLVED, {"attack.attacker.name": "personal_layers"}),
    ),
)
