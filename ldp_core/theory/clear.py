"""What the server is told as it is, and no ε covers."""

from __future__ import annotations

from dataclasses import dataclass

from ldp_core.aggregators.base import WeighsByNoise
from ldp_core.experiment import Experiment


@dataclass(frozen=True)
class InClear:
    """Something that the server is told without noise."""

    what: str
    by: str
    why: str


def sent_in_clear(experiment: Experiment) -> tuple[InClear, ...]:
    """What no ε covers, because it is sent as it is."""
    mechanism, aggregator = experiment.mechanism, experiment.aggregator
    found = [InClear("that a client takes part in a round", "the connection", "the server sees who sends")]
    if mechanism.name == "none":
        return (InClear(mechanism.sends_in_clear, "every upload", "there is no mechanism"), *found)
    found.append(
        InClear(
            "each client's ε and safe range",
            "the agreement on them",
            "the server weights by them"
            if isinstance(aggregator, WeighsByNoise)
            else "client and server agree on them, and the answers show them",
        )
    )
    if experiment.form == "as_printed" and mechanism.name == "piecewise":
        scale = InClear(
            "the largest weight of each upload",
            "the ends of what is sent",
            "the scale is taken from the data",
        )
        found.insert(0, scale)
    if aggregator.reads_in_clear:
        found.append(
            InClear(aggregator.reads_in_clear, f"the aggregator “{aggregator.label}”", "it weights by that")
        )
    return tuple(found)
