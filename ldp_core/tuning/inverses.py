"""Formulas inverted: ε for a given noise or run ε, number of clients for a given noise.

Nothing is trained: noise and cost from `theory` and `accounting` are monotone in ε, so a root search finds
the ε. Results are exact, except for a noise that theory estimates by simulating selections: its error is
given, and results are rounded to it. All clients have the same ε here; everything else is the experiment's.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from ldp_core import limits
from ldp_core.accounting import Promise, epsilon_for, least_promised, promise, worth
from ldp_core.errors import InvalidInput, shown
from ldp_core.experiment import Experiment, changed, plan
from ldp_core.limits import number
from ldp_core.theory.clients import client_variance, worst_error
from ldp_core.theory.server import server_noise

TOLERANCE = 1e-9
"""Relative tolerance on ε and σ."""
COARSE = 1.0
"""Width of a bracket in log ε within which σ is nearly a power of ε."""


@dataclass(frozen=True)
class Follows:
    """Consequences of one ε for all clients; σ is a standard deviation per weight."""

    epsilon: float
    covers: str
    """What ε covers, in words."""
    clients: int
    aggregate: float
    """σ of the aggregate for weights in mid-range: root of its mean square over all rounds."""
    aggregate_error: float
    """Standard error of that σ if participation is simulated; 0 if exact."""
    upload: float
    """σ of one upload for weights in mid-range, of the client with the largest."""
    worst: float
    """The same σ for the weights with the largest noise."""
    run: Promise
    """Worst-case guarantee for the whole run of the client promised least."""

    def as_json(self) -> dict[str, Any]:
        found = worth(self.run)
        return asdict(self) | {"promises": found.word, "told_apart": found.odds}


def follows(experiment: Experiment, epsilon: float, clients: int | None = None) -> Follows:
    """Consequences if all clients, or `clients` of them, have one ε. Raises InvalidInput: the experiment is
    invalid, or its noise cannot be predicted.
    """
    made = _equal(experiment, epsilon, clients)
    sigma, error = _noise(made)
    return Follows(
        epsilon=epsilon,
        covers=plan(made).covers,
        clients=made.clients.count,
        aggregate=rounded(sigma, error),
        aggregate_error=rounded(error, error),
        upload=math.sqrt(float(client_variance(plan(made)).max())),
        worst=math.sqrt(float(worst_error(plan(made)).max())),
        run=promise(plan(made), least_promised(plan(made))).run_worst,
    )


def at_noise(experiment: Experiment, sigma: float) -> Follows:
    """Consequences of the least ε with at most standard deviation `sigma` in the aggregate. Raises
    InvalidInput: no ε within its limits gives this noise.
    """
    _check(experiment, sigma)
    low, high = limits.EPSILON.minimum, limits.EPSILON.maximum
    most, least = (_sigma(_equal(experiment, end)) for end in (low, high))
    if not least <= sigma <= most:
        raise InvalidInput(
            f"the noise σ must lie between {limits.at_most(least, 4)} and {limits.at_least(most, 4)}, which "
            f"an ε {limits.EPSILON} leaves in the aggregate of {limits.spelled(experiment.clients.count)} "
            f"clients; got {number(sigma, 6)}; take other ranges, another mechanism or more clients"
        )
    epsilon = _least(lambda e: _sigma(_equal(experiment, e)), sigma, low, high)
    _, error = _noise(_equal(experiment, epsilon))
    return follows(experiment, rounded(epsilon, epsilon * error / sigma))


def at_run_budget(experiment: Experiment, budget: float) -> Follows:
    """Consequences of the largest ε whose worst-case ε of the run is at most `budget`. Raises InvalidInput:
    no ε within its limits gives this run ε.
    """
    return follows(experiment, epsilon_for(_equal(experiment, 1.0), budget))


def clients_for(experiment: Experiment, epsilon: float, sigma: float) -> Follows:
    """Consequences of the least number of clients with at most standard deviation `sigma` in the aggregate.
    Raises InvalidInput: the data set has too few samples, or ranges are listed per client.
    """
    _check(experiment, sigma)
    most = int(min(limits.CLIENTS.maximum, plan(experiment).source.train_size))

    def enough(count: int) -> bool:
        return _sigma(_equal(experiment, epsilon, count)) <= sigma

    high = 1
    while high < most and not enough(high):
        high = min(most, 2 * high)
    if not enough(high):
        left = _sigma(_equal(experiment, epsilon, most))
        raise InvalidInput(
            f"the noise σ must be at least {limits.at_most(left, 4)}, which {limits.spelled(most)} clients "
            f"leave, as many as {experiment.dataset} has samples for; got {number(sigma, 6)}; take a larger ε"
        )
    low = high // 2  # which is too few, or none
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return follows(experiment, epsilon, high)


def _equal(experiment: Experiment, epsilon: float, clients: int | None = None) -> Experiment:
    """The experiment with one ε for all clients, and without limits that stop a client."""
    fields: dict[str, Any] = {"clients.epsilon": epsilon, "clients.run_limit": None, "attack": None}
    return changed(experiment, fields | ({} if clients is None else {"clients.count": clients}))


def rounded(value: float, error: float) -> float:
    """Value rounded to two digits of its standard error; unchanged for error 0."""
    return round(value, 1 - math.floor(math.log10(error))) if error else value


def _sigma(experiment: Experiment) -> float:
    return _noise(experiment)[0]


def _noise(experiment: Experiment) -> tuple[float, float]:
    """Standard deviation σ in the aggregate, and its standard error."""
    if plan(experiment).randomiser.role == "identity":
        raise InvalidInput("nothing follows from a mechanism that adds no noise; choose one that does")
    noise = server_noise(plan(experiment))
    if math.isnan(noise.variance):
        raise InvalidInput(f"no noise is predicted here, as {noise.unknown}")
    sigma = math.sqrt(noise.variance)
    return sigma, noise.error / (2 * sigma) if noise.error else 0.0


def _check(experiment: Experiment, sigma: float) -> None:
    if plan(experiment).randomiser.role == "vote":
        raise InvalidInput(
            "the error of signs does not fall with ε, as a sign is no estimate of a weight; "
            "choose a mechanism that sends estimates"
        )
    if not (math.isfinite(sigma) and sigma > 0):
        raise InvalidInput(f"the noise σ must be a number above 0; got {shown(sigma)}")


def _least(sigma: Callable[[float], float], most: float, low: float, high: float) -> float:
    """Least ε with `sigma(ε)` at most `most`, for a falling function that is at `high`; to `TOLERANCE`, from
    above. Bisection in log ε, then false position (Illinois), which takes half of the steps.
    """
    below, above = math.log(low), math.log(high)
    over, under = math.log(sigma(low) / most), math.log(sigma(high) / most)
    if over <= 0:
        return low
    stayed = 0  # which end the last step but one has moved: 1 the upper, -1 the lower
    while above - below > TOLERANCE:
        near = above - below < COARSE
        middle = above - under * (above - below) / (under - over) if near else (above + below) / 2
        # an end that lies within rounding of the root would draw every further step to itself
        middle = min(max(middle, below + TOLERANCE / 2), above - TOLERANCE / 2)
        found = math.log(sigma(math.exp(middle)) / most)
        if found > 0:
            under /= 2 if near and stayed < 0 else 1
            below, over, stayed = middle, found, -1
        else:
            over /= 2 if near and stayed > 0 else 1
            above, under, stayed = middle, found, 1
            if found > -TOLERANCE:
                break
    return math.exp(above)
