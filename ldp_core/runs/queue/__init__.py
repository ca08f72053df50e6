"""The queue: one row a job.

`table` holds the rows; `admission` lets jobs in; `claiming` says whose turn it is and
hands a job to one process alone; `moves` changes a job's state (a waiting job is cancelled here and nowhere
else); `ownerless` finds those whose process has gone; `pairs`
has jobs wait for another one's results; `long_requests` keeps those of thousands of clients apart;
`people` says who may do what; `aside` keeps what was deleted and may come back.
"""

from ldp_core.runs.queue.admission import add, arrive, new_id, requeue
from ldp_core.runs.queue.aside import aside, bring_back, forget_aside, put_aside
from ldp_core.runs.queue.claiming import ahead_of, claim, in_turn, running, take
from ldp_core.runs.queue.moves import cancel, move, say, set_pid
from ldp_core.runs.queue.ownerless import lost, reap
from ldp_core.runs.queue.pairs import pair, release, released
from ldp_core.runs.queue.resting import drop, held, strip
from ldp_core.runs.queue.table import find, get, queue_path, status

__all__ = [
    "add",
    "ahead_of",
    "arrive",
    "aside",
    "bring_back",
    "cancel",
    "claim",
    "drop",
    "find",
    "forget_aside",
    "get",
    "held",
    "in_turn",
    "lost",
    "move",
    "new_id",
    "pair",
    "put_aside",
    "queue_path",
    "reap",
    "release",
    "released",
    "requeue",
    "running",
    "say",
    "set_pid",
    "status",
    "strip",
    "take",
]
