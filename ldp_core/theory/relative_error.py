"""Synthetic records of the papers: error of an estimated mean, without a model.

Paper 000, section 6.1 and figure 2: each client has numbers in its safe range and sends each perturbed; the
server averages. Without classes and training, this is no data set but a measurement of a mechanism on a
population.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.base import Floats, Mechanism
from ldp_core.streams import stream

RECORDS = 100
"""Number of records of each client in the paper."""


def relative_errors(
    mechanism: Mechanism,
    epsilon: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    repeats: int = 20,
    seed: int = 0,
) -> Floats:
    """|T − E| / |T| (paper 000, eq. 15) for the mean T of all records and the mean E of all uploads.

    Records are uniform in their client's range. Repetition r draws the same records for any mechanism and
    budgets, so that measurements are paired. Ranges around 0 have a true mean near 0, where a relative error
    says little; the paper does not state its ranges.

    Args:
        mechanism: of coordinate scope.
        epsilon: each client's ε for one record, shape (K,).
        low, high: each client's safe range, shape (K,).
        repeats: number of repetitions.
        seed: seed of records and noise.

    Returns:
        Relative error of each repetition, shape (repeats,).

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
