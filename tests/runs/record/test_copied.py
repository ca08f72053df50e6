"""A record's file that an operator has copied from another server is used, or left out if it is wrong."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from copy import deepcopy
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest

from ldp_core.events import event_of
from ldp_core.runs import kinds, queue
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.computations import database
from tests.runs.carry.exports import ASKED, Body, files_of
from tests.runs.in_process import bodies, compute, queued, trained

KINDS = [kind for kind in kinds.names() if not kinds.get(kind).fresh]


def asked_of(kind: str) -> Body:
    return {**ASKED.get(kind, kinds.get(kind).smallest)}


def elsewhere(kind: str, asked: Body, folder: Path) -> tuple[Job, list[Body]]:
    """A job that was computed in another folder of runs, and what is recorded of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(folder))
        job = trained(dict(asked), kind)
        return job, bodies(job)


@pytest.mark.parametrize("kind", KINDS)
def test_copied_record_completes_an_equal_job(
    kind: str, runs_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    before, recorded = elsewhere(kind, asked_of(kind), tmp_path / "other")
    shutil.copytree(tmp_path / "other" / "computed", runs_dir / "computed")
    monkeypatch.setattr(type(kinds.get(kind)), "compute", lambda *_: pytest.fail("it is computed again"))
    job = trained(asked_of(kind), kind)
    assert (job.status, job.keys) == (before.status, before.keys)
    assert bodies(job) == recorded


EDITS: dict[str, str] = {
    "event": "UPDATE events SET body = json_set(body, '$.more', 1) WHERE seq = 2",
    "type": "UPDATE events SET body = json_set(body, '$.loss', '1') WHERE seq = 2",
    "end": "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)",
    "status": "UPDATE about SET status = 'failed'",
    "figures": "UPDATE about SET figures = '[1, 2]'",
    "experiment": "UPDATE about SET what = json_set(what, '$.rounds', 9)",
    "kind": "UPDATE about SET kind = 'sweep'",
    "about": "DELETE FROM about",
}


@pytest.mark.parametrize("edit", EDITS)
def test_edited_record_is_left_out_with_a_log_line(
    edit: str, runs_dir: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    asked = {"rounds": 1, "attack": None, "seed": 3}
    _, recorded = elsewhere("run", asked, tmp_path / "other")
    shutil.copytree(tmp_path / "other" / "computed", runs_dir / "computed")
    job = queued(asked)
    with closing(sqlite3.connect(database(job.keys[0]))) as db, db:
        assert db.execute(EDITS[edit]).rowcount
    caplog.clear()
    assert compute(job).status == "completed"
    (line,) = [one.getMessage() for one in caplog.records if "left out" in one.getMessage()]
    assert job.keys[0] in line and "\n" not in line
    assert _weights(bodies(job)) == _weights(recorded), "it is trained here"


def _weights(events: list[Body]) -> str:
    return str(events[-1]["weights_sha256"])


def test_record_under_the_name_of_another_is_left_out(runs_dir: Path, tmp_path: Path):
    asked = {"rounds": 1, "attack": None}
    other, recorded = elsewhere("run", asked, tmp_path / "other")
    job = queued({**asked, "seed": 7})
    database(job.keys[0]).parent.mkdir(parents=True)
    shutil.copy(next((tmp_path / "other" / "computed").glob("*.sqlite")), database(job.keys[0]))
    assert compute(job).status == "completed"
    assert _weights(bodies(job)) != _weights(recorded)
    assert queue.get(job.id).keys != other.keys


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value but in what follows from the request anyway; of a list, its first two."""
    if path:
        yield path
    inner = enumerate(value[:2]) if isinstance(value, list) else ()
    for name, one in value.items() if isinstance(value, dict) else inner:
        if name not in ("experiment", "ladder", "departures"):
            yield from places(one, (*path, name))


def put(body: Body, path: tuple[Any, ...], value: Any) -> Body:
    body = deepcopy(body)
    reduce(getitem, path[:-1], body)[path[-1]] = value
    return body


ODD: list[Any] = [[{}], {"": [None]}, float("inf"), "x" * 10**6 + "x"]


@pytest.mark.parametrize("kind", kinds.names())
def test_event_with_a_field_of_another_type_is_refused(kind: str):
    known = kinds.get(kind).events
    listed = [json.loads(line) for line in files_of(kind)["events.jsonl"].splitlines()]
    seen = {(body["event"], body.get("upload"), body.get("control")): body for body in listed}
    for body in seen.values():
        del body["run"], body["at"]
        assert event_of(body, known).as_json() == body
        for path in places(body):
            for value in ODD:
                with pytest.raises((ValueError, LookupError)):
                    event_of(put(body, path, value), known)
        with pytest.raises(ValueError, match="no "):
            event_of(body | {"more": 1}, known)
