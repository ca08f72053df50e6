"""Network traffic of a run in bytes: figure 3a of paper 000."""

import math
from dataclasses import dataclass

import numpy as np

from ldp_core.experiment import Plan

FLOAT = 4
"""Bytes of a float32 weight."""


@dataclass(frozen=True)
class Traffic:
    """Bytes sent in an average round by all clients, without protocol overhead."""

    down: float
    """The server's model, to all participants."""
    up: float
    """Uploads with each weight as float32."""
    packed: float
    """Uploads in as few bits as possible: log₂ k for an output with k values."""


def traffic(plan: Plan) -> Traffic:
    """Bytes sent in one round, averaged over the run."""
    experiment, sent = plan.experiment, plan.tells
    taking_part = experiment.clients.count * plan.turns.expected / experiment.rounds
    whole = [piece.mechanism.bits() for piece in plan.pieces()]
    bits_known = math.fsum(one for one in whole if one is not None)
    perturbed = bits_known if None not in whole else sent.perturbed * _bits(plan)
    bits = perturbed + sent.clear * 8 * FLOAT
    return Traffic(
        down=taking_part * FLOAT * plan.uploaded,
        up=taking_part * FLOAT * (sent.perturbed + sent.clear),
        packed=taking_part * math.ceil(bits / 8),
    )


def _bits(plan: Plan) -> float:
    """Bits of one perturbed weight, mean over clients: those of a float, or fewer for discrete outputs."""
    mechanism, people = plan.randomiser, plan.population
    if mechanism.role == "identity" or mechanism.scope != "coordinate":
        return 8.0 * FLOAT

    def bits(epsilon: float) -> float:
        law = mechanism.at(epsilon, people.low[0], people.high[0])
        values = law.atoms(0.0)
        return 8.0 * FLOAT if len(law.edges(0.0)) or not len(values) else math.log2(len(values))

    ends = bits(people.epsilon.min()), bits(people.epsilon.max())
    if ends[0] == ends[1]:
        return ends[0]
    budgets, counts = np.unique(people.epsilon, return_counts=True)
    return float(counts @ [bits(one) for one in budgets]) / len(people.epsilon)
