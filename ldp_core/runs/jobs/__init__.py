"""Operations on jobs for pages and the command line. All raise UnknownJob for an unknown id, NotYours for a
job that this person may not change, and StorageFailed for a record that cannot be read or written.
"""

from ldp_core.runs.jobs.archive import export, recorded
from ldp_core.runs.jobs.listing import status
from ldp_core.runs.jobs.lookup import look, look_twice, of_draft, recent, refuse_others
from ldp_core.runs.jobs.submission import (
    cancel,
    cancel_all,
    launch,
    pin,
    refuse_too_much,
    relabel,
    resume,
    submit,
)
from ldp_core.runs.record.deletion import delete, deleted, undo_delete
