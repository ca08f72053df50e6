"""Job system: files, processes and the queue of training jobs, which outlive a page, a browser and a server.

Pages and the command line import from `ldp_core.runs` only what this module lists (`tests/test_layers.py`).
Subpackages, each of which may import those before it: `storage` (files), `lockstep` (runs trained side by
side, round by round), `batch`, `cluster`, `train_all` (cells of a sweep, on all cores or other machines),
`machine` (slots and speed), `queue` (a database row per job), `record` (stored events of a job), `view`
(records folded for display), `kinds` (kinds of job), `process` (worker and training processes), `jobs`
(submit, look up, cancel, pin, delete), `carry` (export, and opening of its settings).
Names are imported on first use. Nothing here imports torch before a process trains.
"""

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # also read by `_places`
    from ldp_core.runs import carry, claims, jobs, kinds, outcomes, queue, stored_ladder, train_all
    from ldp_core.runs.carry import of_claims
    from ldp_core.runs.jobs.listing import Line, Listed, ListPage, describe, listed, page
    from ldp_core.runs.jobs.submission import MOST_NAME, MOST_NOTE
    from ldp_core.runs.jobs.tables import write_brought_rounds
    from ldp_core.runs.kinds.run import Training
    from ldp_core.runs.lockstep import drive, one_thread
    from ldp_core.runs.machine import slots
    from ldp_core.runs.machine.calibration import rates
    from ldp_core.runs.process import inspecting
    from ldp_core.runs.process.start import ensure_worker
    from ldp_core.runs.queue import permissions
    from ldp_core.runs.queue.job import ASIDE, LIVE, REMOVED, RESUMABLE, STALLED, Job
    from ldp_core.runs.queue.permissions import Person
    from ldp_core.runs.record import drafts, guesses, own_data, pilots, quota
    from ldp_core.runs.record.cells import cell_body
    from ldp_core.runs.record.deletion import UNDO_SECONDS
    from ldp_core.runs.record.guesses import GuessValue
    from ldp_core.runs.record.time_left import how_far
    from ldp_core.runs.storage import inventory
    from ldp_core.runs.storage.paths import runs_dir
    from ldp_core.runs.stored_answer import FIRST, first_answer
    from ldp_core.runs.stored_promises import PromiseResult, Promises, bought_by, promises_bought
    from ldp_core.runs.view import final_figures
    from ldp_core.runs.view.attack_curve import Tries, success, verdict_on
    from ldp_core.runs.view.cells import (
        AskProgress,
        Desk,
        Place,
        SearchProgress,
        SweepProgress,
        accuracy_of,
        points_of,
    )
    from ldp_core.runs.view.final_figures import Final, apart, results
    from ldp_core.runs.view.folded import CompactSeries, Folded
    from ldp_core.runs.view.run_curves import MOST_EVENTS, Progress, RunProgress, progress_of, replay_of
    from ldp_core.runs.view.styles import COLOURS, DASHES, OTHERWISE, Style, ladders, styles, tint_of


def __getattr__(name: str) -> Any:
    if (place := _places().get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    own = place == __name__
    found = import_module(f"{place}.{name}") if own else getattr(__import__(place, fromlist=[name]), name)
    globals()[name] = found
    return found


@cache
def _places() -> dict[str, str]:
    """Module of each name that the imports above list."""
    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {alias.name: str(node.module) for node in imports for alias in node.names}
