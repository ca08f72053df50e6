"""Runs from a program or notebook, in its own process; nothing is written except downloaded data."""

from collections.abc import Mapping
from typing import Any

from ldp_core.experiment import Experiment
from ldp_core.library.asked import asked
from ldp_core.library.result import Result
from ldp_core.system import private_files


def run(
    experiment: Experiment | Mapping[str, Any] | None = None,
    /,
    settings: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Result:
    """Train an experiment, by default the default one, in this process and return its result. Fields are set
    by their short names (`epsilon` for `clients.epsilon`), or by dotted ones in `settings` where these are
    ambiguous. Raises InvalidExperiment: a name is unknown or ambiguous, or a value is wrong; StudioError: the
    data are unavailable.
    """
    chosen = asked(experiment, settings or {}, fields)
    from ldp_core.runs.lockstep import drive

    with private_files.unwritten():
        return Result(chosen, [event for turn in drive({0: chosen}) for event in turn.events])
