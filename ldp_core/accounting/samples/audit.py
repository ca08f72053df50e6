"""Lower bound on ε from a mechanism's samples, without assumptions on its law.

Half of the trials choose two inputs and a set of outputs; the other half counts how often that set occurs for
each. As the set is fixed before counting, one pair of Clopper–Pearson intervals is valid whatever was
searched. Trials must be independent.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.accounting.samples.events import OutputSet, best_event
from ldp_core.accounting.samples.likelihoods import epsilon_bound, runs_needed
from ldp_core.accounting.samples.table import read_samples
from ldp_core.errors import InvalidInput, StudioError
from ldp_core.limits import number, spelled
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream

WORLDS = 8
"""Largest number of inputs that are compared; of more, some evenly spread ones."""
MOST_EPSILON = 700.0


class CannotTell(StudioError):
    """Too few trials to refute the claim, whatever their outputs."""


@dataclass(frozen=True)
class SampleAudit:
    claimed: float
    measured: float
    """Lower bound on ε, below the true one with probability `confidence`."""
    delta: float
    confidence: float
    event: str
    """Set of outputs that gives the bound, in words; "" if none distinguishes two inputs."""
    shares: tuple[int, int, int, int]
    """Occurrences of the event and trials for the input that makes it likelier, then for the other input."""

    @property
    def refuted(self) -> bool:
        return self.measured > self.claimed

    @property
    def verdict(self) -> str:
        """Sentence like `claimed 1, at least 7.3 (95 %)`."""
        level = f"{spelled(round(100 * self.confidence, 3))} %"
        claimed = f"claimed {number(self.claimed, 6)}"
        claimed += f" at δ {number(self.delta, 6)}" if self.delta else ""
        if not self.measured:
            return f"{claimed}, nothing shown ({level}): no answer tells two inputs apart"
        digits = 10.0 ** (1 - math.floor(math.log10(self.measured)))
        least = math.floor(self.measured * digits) / digits
        judged = "refuted" if self.refuted else "not refuted"
        return f"{claimed}, at least {number(least, 6)} ({level}): {judged}"

    @property
    def evidence(self) -> str:
        """Sentence on the event that gives the bound; "" without one."""
        hits, runs, false, among = self.shares
        counted = f"in {hits} of {runs} trials of one input, in {false} of {among} of the other"
        return f"{self.event}: {counted}" if self.event else ""


def audit_samples(
    inputs: ArrayLike,
    outputs: ArrayLike,
    claimed: float,
    delta: float = 0.0,
    confidence: float = 0.95,
    worlds: Sequence[Any] | NDArray[Any] | None = None,
) -> SampleAudit:
    """Test a claimed ε (of all outputs of one trial) against n independent trials of a mechanism.

    Args:
        inputs, outputs: (n,), (n, coordinates) or (n, rounds, coordinates).
        worlds: (n,): which neighbouring input a trial belongs to; by default trials with equal inputs.

    Raises:
        InvalidInput: the arrays or the claim are invalid, or there is one input only.
        CannotTell: there are too few trials to refute the claim.
    """
    _check(claimed, delta, confidence)
    x, y = (_cube(one, name) for one, name in ((inputs, "inputs"), (outputs, "outputs")))
    if x.shape != y.shape:
        raise InvalidInput(f"inputs and outputs must have one shape; got {x.shape} and {y.shape}")
    groups = _groups(x, worlds)
    if len(groups) < 2:
        same = f"the input is {number(x.flat[0], 6)}" if worlds is None else f"the world is {worlds[0]}"
        raise InvalidInput(f"{same} in every trial; an audit compares two inputs at least")
    alpha = 1 - confidence
    needed = 2 * runs_needed(claimed, alpha, delta)
    enough = [rows for rows in groups if len(rows) >= needed]
    if len(enough) < 2:
        rows = sorted(map(len, groups))[-2]
        lines = "row" if rows == 1 else "rows"
        few = f"cannot tell yet: {spelled(rows)} {lines} a world; {spelled(needed)} would do"
        if len(groups) > WORLDS and worlds is None:
            few += (
                f". The file has {spelled(len(groups))} different inputs: an audit needs a few, each many "
                "times, or a column world that says which of two each row belongs to"
            )
        raise CannotTell(few)
    draw = stream(0, "audit")
    groups = _spread(enough, x)
    halves = [np.array_split(draw.permutation(rows), 2) for rows in groups]
    best: tuple[OutputSet, Any, Any] | None = None
    for (first, counted), (other, against) in permutations(halves, 2):
        event = best_event(y[first], y[other], delta)
        if event and (best is None or event.score > best[0].score):
            best = event, counted, against
    if best is None:
        return SampleAudit(claimed, 0.0, delta, confidence, "", (0, 0, 0, 0))
    event, counted, against = best
    shares = event.count(y[counted]), len(counted), event.count(y[against]), len(against)
    bound = epsilon_bound(*shares, alpha, delta)
    return SampleAudit(claimed, bound, delta, confidence, str(event) if bound else "", shares)


def main(claim: Mapping[str, float], files: Mapping[str, bytes]) -> tuple[dict[str, Any], bytes]:
    """A CSV file of samples as understood, and its audit where a claim is known; for `system.bounded`."""
    samples = read_samples(files["samples"], claimed=claim)
    seen, claim = samples.seen.as_json(), {**samples.claimed, **claim}
    if "epsilon" not in claim:
        return {"seen": seen}, b""
    epsilon, delta = claim["epsilon"], claim.get("delta", 0.0)
    found = audit_samples(samples.inputs, samples.outputs, epsilon, delta, worlds=samples.worlds)
    return {"seen": seen, "audit": asdict(found)}, b""


def _check(claimed: float, delta: float, confidence: float) -> None:
    if not 0 < claimed <= MOST_EPSILON:
        got = number(claimed, 6)
        raise InvalidInput(f"the claimed ε must lie above 0 and be at most {MOST_EPSILON}; got {got}")
    if not 0 <= delta < 1:
        raise InvalidInput(f"the claimed δ must be at least 0 and below 1; got {number(delta, 6)}")
    if not 0.5 <= confidence < 1:
        raise InvalidInput(f"the confidence must be at least 0.5 and below 1; got {number(confidence, 6)}")


def _cube(given: ArrayLike, name: str) -> Floats:
    try:
        values = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be numbers, as many in each trial") from None
    if values.ndim not in (1, 2, 3) or not values.size:
        raise InvalidInput(f"{name} must have a row a trial, of one value or several; got {values.shape}")
    if not np.isfinite(values).all():
        trial = np.argwhere(~np.isfinite(values))[0][0] + 1
        raise InvalidInput(f"{name} must be finite; got NaN or infinity in trial {trial}")
    coordinates = values.shape[-1] if values.ndim > 1 else 1
    return values.reshape(len(values), -1 if values.ndim == 3 else 1, coordinates)


def _groups(x: Floats, worlds: Sequence[Any] | NDArray[Any] | None) -> list[Any]:
    if worlds is None:
        _, of = np.unique(x.reshape(len(x), -1), axis=0, return_inverse=True)
    elif len(worlds) != len(x):
        raise InvalidInput(f"there must be a world for each of {len(x)} trials; got {len(worlds)}")
    else:
        _, of = np.unique(np.asarray(worlds), return_inverse=True)
    order = np.argsort(of.ravel(), kind="stable")
    return np.split(order, np.cumsum(np.bincount(of.ravel()))[:-1])


def _spread(groups: list[Any], x: Floats) -> list[Any]:
    if len(groups) <= WORLDS:
        return groups
    order = np.argsort([x[rows].mean() for rows in groups], kind="stable")
    return [groups[i] for i in order[np.linspace(0, len(order) - 1, WORLDS).astype(int)]]
