"""The queue: a database row per job. Unknown ids raise UnknownJob."""

from ldp_core.runs.queue.admission import add, new_id, requeue
from ldp_core.runs.queue.changes import cancel, delete, forget, move, note_removed, update
from ldp_core.runs.queue.claiming import before, claim, in_turn, is_new, starves
from ldp_core.runs.queue.orphaned import LOST, STOPPED, lost, reap
from ldp_core.runs.queue.table import deleted, find, get, queue_path, stamp, status
