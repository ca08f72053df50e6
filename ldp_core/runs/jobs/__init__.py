"""What pages and the command line do with jobs: submit, look, cancel, pin, delete.

An id that no job has raises UnknownJob, another person's job that one may not touch NotYours, a record
that cannot be read or written StorageFailed.
"""

from ldp_core.runs.jobs.archive import export
from ldp_core.runs.jobs.control import (
    bring_back,
    cancel,
    cancel_all,
    delete,
    deleted,
    pin,
    relabel,
    remove,
    resume,
)
from ldp_core.runs.jobs.lookup import look, look_twice, of_draft, recent, refuse_others
from ldp_core.runs.jobs.report import status
from ldp_core.runs.jobs.submission import launch, refuse_too_much, submit, submit_ladder
