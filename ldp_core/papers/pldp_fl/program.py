"""Relative error of the mean of synthetic records, uniform in each client's range (figure 2)."""

from ldp_core.experiment import Experiment, plan
from ldp_core.papers.arms import Load
from ldp_core.theory.relative_error import relative_errors


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
