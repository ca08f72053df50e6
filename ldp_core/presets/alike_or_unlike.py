"""Scenario: half the silos at a small ε of each row, half at a large one, with labels alike or skewed. Each
way has the learning rate that was best of four on other seeds.
"""

from typing import Any

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import most_accurate

WAYS: dict[str, dict[str, Any]] = {
    "mean": {"local.learning_rate": 2.0},
    "1/σ²": {"aggregator.name": "inverse_variance", "local.learning_rate": 8.0},
    "a sum at ε 1": {"trust": {"kind": "secure_sum", "unequal": "strictest"}, "local.learning_rate": 4.0},
}
SKEWED = {"partition": {"kind": "dirichlet", "alpha": 0.1}}
UNLIKE = tuple(f"unlike, {way}" for way in WAYS)
SUM_WINS = (
    "Where labels are skewed the five know other digits than all: there a secure sum at everybody's "
    "strictest ε, which listens to each row alike, ends ahead of both."
)

PRESET = Preset(
    order=25,
    label="Alike or unlike",
    question="Five hospitals ask for a row's ε 1, five for 8. When does it pay to listen to the five?",
    says=(
        (
            "Where all hold alike rows, 1/σ² listens to the five with ε 8, and ends more than 15 points "
            "ahead of the mean."
        ),
        SUM_WINS,
    ),
    ask=most_accurate("Labels are skewed. Which way will end ahead?", UNLIKE, SUM_WINS),
    base={
        "unit": "record",
        "clients": {"count": 10, "epsilon": [1.0] * 5 + [8.0] * 5},
        "rounds": 20,
        "attack": None,
    },
    variants=tuple(
        (f"{kind}, {way}", {**changes, **skew})
        for kind, skew in {"alike": {}, "unlike": SKEWED}.items()
        for way, changes in WAYS.items()
    ),
    seeds=5,
)
