"""Export of a job as a ZIP: its request, its events, and the versions of the program and its libraries."""

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import distributions
from typing import Any

from ldp_core import behaviour
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Run, plan
from ldp_core.runs import kinds
from ldp_core.runs.jobs.lookup import look
from ldp_core.runs.jobs.tables import TABLES, as_csv, row
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.events import StoredEvent, events_of
from ldp_core.system.zip_directory import zipped

PACKAGES = "torch torchvision numpy pandas scipy scikit-learn pydantic streamlit plotly"
FORMAT = 2
"""Version of the ZIP's format; raised when older programs cannot read new files."""
CONTENTS = """An export of Epsilon Studio.

job.json          what was asked, how it ended, and the versions of the program and of what it stands on
experiments.json  every run: label, seed and its whole experiment, which `python -m ldp_core run` takes
events.jsonl      all that was recorded, one event a line, with its run and when (seconds since 1970)
*.csv             the plain values of the events of one kind, a line each, for a spreadsheet
*.svg             accuracy and noise variance by round, as pictures, of a training that has rounds
report.html       what it came to, as a page that opens offline
program.py        a program on ldp_core that trains the same again, where the training has ended

Rounds and clients count from 1. The end event of a run holds its ledger: what is promised to each client, per
coordinate, per upload and for the run. The noise is simulation noise: reproducible, and no protection of real
data.
"""


def export(identity: str, more: Mapping[str, str] | None = None) -> tuple[bytes, int]:
    """ZIP of a job's record and `more` files, and the number of events, or InvalidInput if there are none."""
    job, events = recorded(identity)
    made = kinds.get(job.kind)
    experiments = [_experiment(*one) for one in enumerate(made.recorded(made.parse(job.request)))]
    bodies = ({"run": event.run, "at": event.at, **event.body} for event in events)
    lines = "".join(json.dumps(body) + "\n" for body in bodies).encode()
    signed = {"format": FORMAT, "events_sha256": hashlib.sha256(lines).hexdigest()} | _about(job)

    def files() -> Iterator[tuple[str, str | bytes]]:
        yield "README.txt", CONTENTS
        yield "job.json", _json(signed)
        yield "experiments.json", _json(experiments)
        yield "events.jsonl", lines
        for kind, name in TABLES.items():
            chosen = [event for event in events if event.body["event"] == kind]
            if rows := [row(event, experiments[event.run]) for event in chosen]:
                yield f"{name}.csv", as_csv(rows)
        yield from (more or {}).items()

    return zipped(files()), len(events)


def recorded(identity: str) -> tuple[Job, list[StoredEvent]]:
    """A job that may leave this server, and its events; InvalidInput says why not, or that there are none."""
    job = look(identity)
    if job.request.get("drawings"):
        raise InvalidInput("it trained on what people have drawn in a class, which is never exported")
    events = events_of(job)
    if not events:
        why = "its record was removed to make room" if job.removed else f"it is {job.status}"
        raise InvalidInput(f"nothing is recorded of job {identity}: {why}")
    return job, events


def _about(job: Job) -> dict[str, Any]:
    at = {"created": job.created, "started": job.started, "ended": job.ended}
    return {
        "id": job.id,
        "kind": job.kind,
        "status": job.status,
        "message": job.message,
        **{name: when and datetime.fromtimestamp(when, UTC).isoformat() for name, when in at.items()},
        "request": job.request,
        "exported_by": {"program": behaviour.version(), "python": platform.python_version(), **versions()},
    }


def versions() -> dict[str, str | None]:
    """Versions of the libraries; None if missing."""
    return {name: next((one.version for one in distributions(name=name)), None) for name in PACKAGES.split()}


def _experiment(number: int, run: Run) -> dict[str, Any]:
    found = run.experiment
    named = {
        "run": number,
        "variant": run.variant,
        "label": run.label,
        "seed": found.seed,
        "key": plan(found).key,
    }
    return {**named, "experiment": found.as_json()}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
