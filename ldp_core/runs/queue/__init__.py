"""The queue: a database row per job.

`table` reads the rows; `admission` adds jobs within limits; `claiming` orders them and hands each to the
worker; `orphans` finds jobs whose worker is gone; `changes` makes all other changes to a row; `people` holds
permissions. Unknown ids raise UnknownJob.
"""

from ldp_core.runs.queue.admission import add, arrive, new_id, requeue
from ldp_core.runs.queue.changes import (
    bring_back,
    cancel,
    delete,
    forget,
    move,
    note_figures,
    note_removed,
    relabel,
    set_keys,
    set_pid,
    set_pinned,
)
from ldp_core.runs.queue.claiming import ahead_of, claim, in_turn, running
from ldp_core.runs.queue.orphans import LOST, STOPPED, lost, reap
from ldp_core.runs.queue.table import deleted, find, get, queue_path, stamp, status
