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
from ldp_core.runs.queue.claiming import LOST, STOPPED, before, claim, in_turn, is_new, lost, reap, starves
from ldp_core.runs.queue.table import deleted, find, get, queue_path, stamp, status
