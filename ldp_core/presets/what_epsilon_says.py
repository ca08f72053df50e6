"""Scenario: one run whose ε is stated in three scopes."""

from ldp_core.presets.base import Preset
from ldp_core.presets.claims import Sentence, both, budget, costs, ranked, reaches
from ldp_core.presets.questions import first_that

FOLLOWS = Sentence(
    "Accuracy follows the budget: 8 for an upload, the only one of the three whose "
    "bound means something, leaves these twenty clients little to learn from.",
    both(
        ranked("ε 650 per upload", "ε 65 per upload", "ε 8 per upload"),
        reaches("ε 8 per upload", high=0.4),
        reaches("ε 650 per upload", low=0.8),
    ),
)

PRESET = Preset(
    order=6,
    label="What ε really says",
    question="A budget of 8, 65 or 650 for one upload: which of them lets the model learn, and what is it?",
    says=(
        Sentence(
            "650 for an upload of 650 weights is ε 1 for each of them: a figure that sounds "
            "strict, and as a bound on the whole upload promises next to nothing.",
            both(
                budget("ε 650 per upload", "coordinate", 0.99, 1.01),
                budget("ε 650 per upload", "upload", 649, 651),
            ),
        ),
        Sentence(
            "At 8 nothing that can be seen in an upload becomes more likely by more than a factor of 3.3, "
            "but for a δ of 10⁻⁵; at 650 the factor is e³⁹³.",
            both(
                costs("ε 8 per upload", epsilon=1.187, within=0.01, scope="upload"),
                costs("ε 650 per upload", epsilon=393, within=0.01, scope="upload"),
            ),
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
