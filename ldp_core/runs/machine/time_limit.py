"""The operator's limit on a job's estimated duration."""

from __future__ import annotations

from ldp_core.cost.estimate import Cost
from ldp_core.cost.work import USUAL
from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.runs.machine.calibration import rates
from ldp_core.settings.table import MOST_HOURS

UNSURE = 10.0
"""Factor by which an unmeasured machine may be slower or faster than `USUAL`."""
WORDS = ((3600 * 24 * 365, "years"), (3600 * 24, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


def refuse_what_takes_too_long(cost: Cost) -> None:
    """Raise InvalidExperiment for a job whose estimated duration on this machine exceeds the limit."""
    known = rates()
    most, seconds = 3600 * MOST_HOURS.value(), cost.seconds(known or USUAL)
    if seconds <= (most if known else UNSURE * most):
        return
    message = (
        f"would take about {_in_words(seconds)} on this server, and one job may take {_in_words(most)}; try "
        "fewer rounds, runs or seeds, or a smaller model"
    )
    raise InvalidExperiment([Problem("rounds", message)])


def _in_words(seconds: float) -> str:
    unit, name = next(((unit, name) for unit, name in WORDS if seconds >= 2 * unit), WORDS[-1])
    return f"{seconds / unit:,.3g} {name}" if seconds / unit < 1000 else f"{seconds / unit:,.0f} {name}"
