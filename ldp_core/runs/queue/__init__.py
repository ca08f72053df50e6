"""The queue: a database row per job.

`table` reads the rows; `admission` adds jobs within limits; `claiming` orders them, hands each to the
worker, and finds those whose worker is gone; `changes` makes all other changes to a row; `permissions` holds
permissions. Unknown ids raise UnknownJob.
"""

from ldp_core.runs.queue.admission import add, arrive, new_id, requeue
from ldp_core.runs.queue.changes import cancel, delete, forget, move, note_removed, update
from ldp_core.runs.queue.claiming import LOST, STOPPED, before, claim, in_turn, lost, reap
from ldp_core.runs.queue.table import deleted, find, get, queue_path, stamp, status
