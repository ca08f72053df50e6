"""Scenario: all five systems at a worst-case ε of 10 for a client's whole run."""

from ldp_core.presets.base import Preset
from ldp_core.presets.of_systems.five_side_by_side import (
    BASE,
    FIVE,
    OPTIMAL,
    PD,
    PERSONALIZED,
    PLDP,
    PPRD,
    SHORT,
    variants,
)
from ldp_core.presets.questions import NumberQuestion, above

RUN = 10.0
"""Worst-case ε of a client's whole run, at the ledger's δ."""
NONE_LEARNS = "None of them learns: with fifty clients and three rounds, all end below 30 %."

PRESET = Preset(
    order=20,
    label="Five side by side, ε 10",
    question="Five systems, and a whole run that costs a client ε 10: does any of them learn?",
    says=(
        (
            "A run costs every client ε 10 at worst (δ at most 10⁻⁵), give or take 0.001, a hundredth of "
            "what is spent in “Five side by side”, on the same clients and images."
        ),
        NONE_LEARNS,
    ),
    ask=NumberQuestion(
        "How many of the six runs will end above 30 %?",
        (*FIVE, SHORT),
        above(0.3),
        NONE_LEARNS,
        most=6,
        unit="",
    ),
    base=BASE,
    variants=variants(
        {
            PLDP: 0.0613908,
            PERSONALIZED: 1.02986,
            PPRD: 5.63954,
            PD: 0.0456046,
            OPTIMAL: 3.33336,
            SHORT: 5.63954,
        }
    ),
)
