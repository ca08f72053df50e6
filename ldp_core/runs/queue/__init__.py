"""The queue: one row a job.

`table` reads the rows; `admission` lets jobs in; `claiming` says whose turn it is and hands a job to one
process alone; `changes` is all else that is done to a row; `ownerless` finds jobs that have no worker;
`people` says who may do what. An id that no job has raises UnknownJob.
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
    say,
    set_keys,
    set_pid,
    set_pinned,
)
from ldp_core.runs.queue.claiming import LOST, STOPPED, ahead_of, claim, in_turn, lost, reap, running
from ldp_core.runs.queue.table import deleted, find, get, queue_path, status
