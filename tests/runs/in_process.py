"""Jobs done in this very process: put in the queue with their keys, claimed, trained, and noted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ldp_core.experiment import Draft, Experiment
from ldp_core.runs import kinds, queue
from ldp_core.runs.kinds import JobEnd
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.computations import Computation, database, note_begun, of_run
from ldp_core.runs.record.events import events_of


def queued(asked: Draft | Mapping[str, Any], kind: str = "run", **who: Any) -> Job:
    """A job that waits: of a draft (with `reference`, once without noise too), or as a file asks for it."""
    made, new = kinds.get(kind), queue.new_id()
    if isinstance(asked, Draft):
        asked = {"draft": asked.as_json(), "reference": who.pop("reference", False)}
        read = made.parse(asked)
    else:
        read = made.read(asked, {})
    keys = [one.key for one in made.computations(read, new)]
    return queue.get(queue.add(kind, made.request(read), identity=new, keys=keys, **who))


def compute(job: Job) -> JobEnd:
    """Do what a job asks for, whatever its state."""
    job.folder.mkdir(parents=True, exist_ok=True)
    return kinds.get(job.kind).run(job)


def take(identity: str) -> bool:
    """Have a queued job run, out of its turn; False if a worker was quicker."""
    return queue.update(identity, "status = 'queued'", status="running")


def trained(asked: Draft | Mapping[str, Any], kind: str = "run", **who: Any) -> Job:
    job = queued(asked, kind, **who)
    assert take(job.id)
    outcome = compute(job)
    assert queue.move(job.id, outcome.status, outcome.message)
    return queue.get(job.id)


def settled(identity: str) -> Job:
    """A job after its computation here, unless what it asks for was known."""
    job = queue.get(identity)
    if job.status == "queued" and not kinds.settle(job):
        assert compute(job).status == "completed"
        assert kinds.settle(queue.get(identity))
    return queue.get(identity)


def found_in(folder: Path, text: bytes) -> list[Path]:
    """Files that hold a text or are named by it."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if text in path.read_bytes() or text in bytes(path.relative_to(folder))]


def record_of(job: Job, run: int = 0) -> Path:
    return database(job.keys[run])


def bodies(job: Job, run: int | None = None) -> list[dict[str, Any]]:
    """What is recorded of a job, or of one of its runs."""
    return [one.body for one in events_of(job) if run is None or one.run == run]


def recorder_of(job: Job, run: int = 0) -> Recorder:
    """Of one of its computations, which is noted as begun."""
    made = kinds.get(job.kind)
    return recorder(made.computations(made.parse(job.request), job.id, job.room)[run])


def recorder_for(experiment: Experiment) -> Recorder:
    """Of a run that no job names."""
    return recorder(of_run(experiment))


def recorder(one: Computation) -> Recorder:
    note_begun([one])
    return Recorder(one)
