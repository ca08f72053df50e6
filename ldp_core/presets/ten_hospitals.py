"""Scenario: ten hospitals, with a promise for each row or for all that a hospital sends. Learning rates
and the ball of hospitals' uploads were chosen on other seeds, as the best of four and of six.
"""

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import NumberQuestion, accuracy

TRUSTS = {"local": "no one", "secure_sum": "a secure sum", "central": "a server"}
RATES = {1: 4.0, 8: 8.0}
"""Learning rate by ε of a row."""
WHOLE = {
    "unit": "client",
    "clients.epsilon": 8,
    "mechanism.norm": 0.3,
    "local.learning_rate": 0.3,
    "local.epochs": 5,
    "local.batch_size": 32,
}
ALONE, WHOLE_ALONE, WHOLE_SUM = "no one, row ε 8", "no one, hospital ε 8", "a secure sum, hospital ε 8"
ROWS = "A row's ε 8 ends above 80 % with no one trusted beyond the hospital, a hospital's ε 8 below 30 %."

PRESET = Preset(
    order=24,
    label="Ten hospitals",
    question="Ten hospitals learn together. Is the secret each row, or all that a hospital sends?",
    says=(
        ROWS,
        (
            "A secure sum among the hospitals lets even a row's ε 1 end above 60 %, as does a trusted "
            "server; a hospital's ε 8 stays below 60 % in that sum."
        ),
        (
            "The two are different promises: a row's ε 1 says little about a person with many rows, and next "
            "to nothing about the hospital."
        ),
    ),
    ask=NumberQuestion(
        "Each row at ε 8, and no one trusted beyond its hospital: how accurate?", (ALONE,), accuracy, ROWS
    ),
    compares=(ALONE, WHOLE_ALONE),
    base={"unit": "record", "clients": {"count": 10, "epsilon": 1}, "rounds": 20, "attack": None},
    variants=(
        *(
            (
                f"{label}, row ε {budget}",
                {"trust.kind": kind, "clients.epsilon": budget, "local.learning_rate": rate},
            )
            for budget, rate in RATES.items()
            for kind, label in TRUSTS.items()
        ),
        (WHOLE_ALONE, WHOLE),
        (WHOLE_SUM, {**WHOLE, "trust.kind": "secure_sum"}),
    ),
    seeds=5,
)
