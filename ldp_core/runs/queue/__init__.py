"""The queue: a database row per job. Unknown ids raise UnknownJob."""

from ldp_core.runs.queue.changes import (
    add,
    cancel,
    delete,
    forget,
    lying,
    move,
    new_id,
    note_removed,
    requeue,
    update,
)
from ldp_core.runs.queue.claiming import AT_WORK, LOST, STOPPED, claim, in_turn, lost, places, reap
from ldp_core.runs.queue.first_points import FirstPoints
from ldp_core.runs.queue.table import deleted, find, get, queue_path, stamp, status
