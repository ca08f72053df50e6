"""Scenario: one run whose ε is stated in three scopes."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import first_that

FOLLOWS = (
    "Accuracy follows the budget: 8 for an upload, the only one of the three whose "
    "bound means something, leaves these twenty clients little to learn from."
)

PRESET = Preset(
    order=6,
    label="What ε really says",
    question="A budget of 8, 65 or 650 for one upload: which of them lets the model learn, and what is it?",
    says=(
        (
            "650 for an upload of 650 weights is ε 1 for each of them: a figure that sounds strict, and as "
            "a bound on the whole upload promises next to nothing."
        ),
        (
            "At 8 whoever has to tell two uploads apart is right in at most 77 of 100 tries (δ 10⁻⁵); at "
            "650 no such bound is left."
        ),
        FOLLOWS,
    ),
    ask=first_that(
        "Which is the smallest budget for an upload that reaches 80 % accuracy?",
        {f"ε {budget} per upload": f"ε {budget}" for budget in (8, 65, 650)},
        lambda one: one.accuracy >= 0.8,
        "none",
        FOLLOWS,
    ),
    base={
        "clients": {"count": 20, "epsilon": 65, "epsilon_scope": "upload", "range": 0.1},
        "target": "update",
        "mechanism": "duchi",
    },
    variants=tuple((f"ε {budget} per upload", {"clients.epsilon": budget}) for budget in (8, 65, 650)),
    seeds=5,
)
