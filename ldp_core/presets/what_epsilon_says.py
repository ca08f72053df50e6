"""Scenario: one run whose ε is stated in three scopes."""

from math import isclose

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import CompletedRun, OptionQuestion

BUDGETS = (8, 65, 650)
LABEL = "ε 650 per upload"
ADDS_UP = (
    "ε 1 for each of 650 weights is 650 for an upload, and 9 750 for the 15 uploads of a run: a figure that "
    "sounds strict, and promises nothing."
)
OPTIONS = {"ε 1": 1, "ε 650": 650, "ε 9 750": 9750}


def sum_of(one: CompletedRun) -> str | None:
    return next((words for words, value in OPTIONS.items() if isclose(one.added_up or 0.0, value)), None)


PRESET = Preset(
    order=6,
    label="What ε really says",
    question="A budget of 8, 65 or 650 for one upload: which of them lets the model learn, and what is it?",
    says=(
        ADDS_UP,
        (
            "At 8 whoever has to tell two uploads apart is right in at most 77 of 100 tries (δ 10⁻⁵); at "
            "650 no such bound is left."
        ),
        (
            "Accuracy follows the budget: 8 for an upload, the only one of the three whose bound means "
            "something, leaves these twenty clients little to learn from."
        ),
    ),
    ask=OptionQuestion(
        "ε 1 for each of 650 weights in each of 15 rounds: what is it for a person, added up?",
        (LABEL,),
        tuple(OPTIONS),
        sum_of,
        ADDS_UP,
    ),
    base={
        "clients": {"count": 20, "epsilon": 65, "epsilon_scope": "upload", "range": 0.1},
        "target": "update",
        "mechanism": "duchi",
    },
    variants=tuple((f"ε {budget} per upload", {"clients.epsilon": budget}) for budget in BUDGETS),
    seeds=5,
)
