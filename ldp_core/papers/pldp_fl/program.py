"""Relative error of the mean of synthetic records, uniform in each client's range (figure 2)."""

import numpy as np
from numpy.typing import ArrayLike

from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, plan
from ldp_core.mechanisms.base import Floats, Mechanism
from ldp_core.papers.arms import Load
from ldp_core.streams import stream

RECORDS = 100
"""Number of records of each client in the paper."""


def around_1(experiment: Experiment, load: Load) -> float:
    """Mean of 20 repetitions, as a share of the true mean, for ranges around 1."""
    return _error(experiment, from_0=False)


def from_0(experiment: Experiment, load: Load) -> float:
    """The same for ranges that begin at 0."""
    return _error(experiment, from_0=True)


def _error(experiment: Experiment, from_0: bool) -> float:
    low, high = experiment.clients.bounds()
    half = (high - low) / 2
    centre = half if from_0 else 1.0
    budgets = experiment.clients.budgets()
    found = relative_errors(
        plan(experiment).terms.mechanism,
        budgets,
        centre - half,
        centre + half,
        repeats=20,
        seed=experiment.seed,
    )
    return float(found.mean())


def relative_errors(
    mechanism: Mechanism,
    epsilon: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    repeats: int = 20,
    seed: int = 0,
) -> Floats:
    """|T − E| / |T| (paper 000, eq. 15) for the mean T of all records and the mean E of all uploads,
    (repeats,).

    Records are uniform in their client's range; repetition r draws the same for any mechanism and budgets.
    The paper does not state its ranges: around 0 a relative error says little.

    Args:
        epsilon, low, high: each client's ε for one record, and safe range, (K,).

    Raises:
        InvalidInput: the mechanism's scope is a layer or an upload.
    """
    if mechanism.scope != "coordinate":
        raise InvalidInput(
            f"the mechanism must perturb single records; got {mechanism.name}, whose scope is a "
            f"{mechanism.scope}; try pdpm"
        )
    budgets, lows, highs = (
        np.atleast_1d(np.asarray(v, dtype=np.float64))[:, None] for v in (epsilon, low, high)
    )
    found = np.empty(repeats)
    for number in range(repeats):
        drawn = stream(seed, "records", number).random((len(budgets), RECORDS))
        values = lows + drawn * (highs - lows)
        sent = mechanism.perturb(values, budgets, lows, highs, stream(seed, "noise", number))
        true = values.mean()
        found[number] = abs(sent.mean() - true) / abs(true)
    return found
