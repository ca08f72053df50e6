"""Scenario: all five systems, corrected, with equal clients, images, model and local training, each with the
ε for the same worst-case ε of the whole run.
"""

from collections.abc import Mapping
from typing import Any

from ldp_core.presets.base import Preset
from ldp_core.presets.questions import most_accurate

PLDP, PERSONALIZED, PPRD = "PLDP-FL", "Personalized LDP-FL", "PPRD-FL"
PD, OPTIMAL, SHORT = "PD-LDPFL", "Optimal LDP-FL", "PPRD-FL, length 5"
LEARNING = (PLDP, PERSONALIZED, PPRD, PD)
FIVE = (*LEARNING, OPTIMAL)
RUN = 1000.0
"""Worst-case ε of a client's whole run, at the ledger's δ."""

SHARED: Mapping[str, Any] = {
    "form": "corrected",
    "partition.kind": "iid",
    "clients.count": 50,
    "clients.range": 0.5,
    "model.name": "logistic_regression",
    "local.optimizer": "sgd",
    "local.epochs": 5,
    "local.batch_size": 10,
    "local.learning_rate": 0.2,
    "rounds": 3,
}
"""Settings that all systems get, whatever their papers use; mechanism, selection and aggregator stay each
system's own. Ranks depend on them: at learning rate 0.5 a run of PD-LDPFL diverged, and PLDP-FL was ahead (in
two seeds).
"""
OWN: Mapping[str, Mapping[str, Any]] = {
    PLDP: {"system.name": "pldp_fl"},
    PERSONALIZED: {"system.name": "personalized_ldp_fl", "system.pixels": "unit", "system.start": "zero"},
    # the ball that holds the others' safe range, 0.5·√650: so the same uploads are neighbours
    PPRD: {"system.name": "pprd_fl", "mechanism.norm": 12.75},
    PD: {"system.name": "pd_ldpfl"},
    OPTIMAL: {"system.name": "optimal_ldp_fl"},
    SHORT: {"system.name": "pprd_fl", "mechanism.norm": 5.0},
}


def variants(epsilon: Mapping[str, float]) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Variants of the systems with the given ε each (`accounting.epsilon_for` finds it for a run's ε)."""
    return tuple((label, {**OWN[label], **SHARED, "clients.epsilon": own}) for label, own in epsilon.items())


BASE = {"system": "pldp_fl", "dataset": "digits", "attack": None}
ONE_WEIGHT = (
    "Optimal LDP-FL stays near chance: fifty clients that answer for one weight each do not cover the model."
)

PRESET = Preset(
    order=19,
    label="Five side by side",
    question="Five systems, and a run costs a client the same in each: what do they learn?",
    says=(
        (
            "A run costs every client ε 1 000 at worst (δ at most 10⁻⁵), give or take 0.1, and nothing goes"
            " in clear: what may leak is bounded alike. So large a budget is hardly a promise."
        ),
        (
            "What they ask for does not compare: that is ε 1.15 for each weight in PLDP-FL, and ε 333 for "
            "the one weight that Optimal LDP-FL answers for."
        ),
        (
            "PLDP-FL, Personalized LDP-FL, PPRD-FL and PD-LDPFL learn something: all end above Optimal "
            "LDP-FL, and none above 85 %."
        ),
        "With steps as short as these PD-LDPFL is ahead of PLDP-FL; that order belongs to this setting.",
        ONE_WEIGHT,
        (
            "Shortened to length 5, PPRD-FL is ahead of itself, of PLDP-FL and of Personalized LDP-FL. At "
            "the same ε that promises less, as fewer uploads are to look alike."
        ),
        (
            "With equal budgets, what the systems do for clients who differ is not shown; nor is an attack. "
            "How often a server tells which image an upload was made of stands on the page “Papers”."
        ),
    ),
    ask=most_accurate("Which of the five will end last?", FIVE, ONE_WEIGHT, least=True),
    base=BASE,
    variants=variants(
        {PLDP: 1.15025, PERSONALIZED: 42.1902, PPRD: 114.692, PD: 1.05251, OPTIMAL: 333.325, SHORT: 114.692}
    ),
    seeds=5,
)
