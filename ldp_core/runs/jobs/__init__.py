"""What pages and the command line do with jobs: submit, look, cancel, pin, delete.

An id that no job has raises UnknownJob, another person's job that one may not touch NotYours, a record
that cannot be read or written StorageFailed.
"""

from ldp_core.runs.jobs.archive import export
from ldp_core.runs.jobs.control import cancel, cancel_all, pin, relabel, remove, resume
from ldp_core.runs.jobs.lookup import look, of_draft, recent, refuse_others
from ldp_core.runs.jobs.report import status
from ldp_core.runs.jobs.submission import launch, refuse_too_much, submit, submit_ladder
from ldp_core.runs.jobs.undo import bring_back, delete, deleted
