"""Scenario: equal clients and an equal ε for the whole run, under four trust models."""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import first_that

TRUSTS = {"local": "no one", "shuffled": "a shuffler", "secure_sum": "a secure sum", "central": "a server"}
BUDGETS = (0.5, 2, 8)
NO_ONE, SHUFFLER, SUM, SERVER = (f"{label}, ε 2" for label in TRUSTS.values())
ANSWER = (
    "At ε 2 for all that a person ever sends, trust in no one ends below 60 %, trust in a shuffler above "
    "70 %, and trust in a secure sum above 90 %, as does trust in a server that sees everything."
)

PRESET = Preset(
    order=22,
    label="Whom do you trust?",
    question="The same people, the same ε for all that each ever sends: what does trust buy?",
    says=(
        ANSWER,
        (
            "At ε 0.5 a secure sum still ends above 60 %, and trust in no one below 30 %; at ε 8 all four "
            "end above 85 %."
        ),
        (
            "In every run each person spends at most the ε in its name, at a δ of at most 10⁻⁵; what "
            "differs is against whom that holds."
        ),
        (
            "The promise ends where a shuffler keeps names, where the server of a sum joins with clients, or "
            "where a server gives away what it was given; a person’s own noise needs no such trust."
        ),
    ),
    ask=first_that(
        "At ε 2, how little trust is enough for 60 %?",
        {f"{label}, ε 2": label for label in TRUSTS.values()},
        lambda one: one.accuracy >= 0.6,
        "none of them",
        ANSWER,
    ),
    base={
        "features": "orientation",
        "clients": {"count": 1_437, "epsilon": 2, "epsilon_scope": "run"},
        "target": "class_means",
        "mechanism": "labelunit",
        "selection": "once",
        "rounds": 1,
        "attack": None,
    },
    variants=tuple(
        (f"{label}, ε {budget:g}", {"trust.kind": kind, "clients.epsilon": budget})
        for budget in BUDGETS
        for kind, label in TRUSTS.items()
    ),
    seeds=5,
)
