"""What pages and the command line do with jobs: submit, look, cancel, pin, delete."""

from ldp_core.runs.jobs.archive import export
from ldp_core.runs.jobs.control import cancel, pin, relabel, remove, resume
from ldp_core.runs.jobs.lookup import look, of_draft, recent
from ldp_core.runs.jobs.report import status
from ldp_core.runs.jobs.submission import launch, submit, submit_ladder

__all__ = [
    "cancel",
    "export",
    "launch",
    "look",
    "of_draft",
    "pin",
    "recent",
    "relabel",
    "remove",
    "resume",
    "status",
    "submit",
    "submit_ladder",
]
