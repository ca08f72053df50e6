"""What every kind of job promises; a new file in ldp_core/runs/kinds is tested by being there."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from ldp_core.cost.seconds import Rates
from ldp_core.datasets import Step
from ldp_core.errors import StudioError
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.jobs.listing import describe
from ldp_core.runs.kinds import JobEnd
from ldp_core.runs.lockstep import Turn
from ldp_core.runs.process.training import train_job
from ldp_core.runs.queue.job import ASIDE, Job
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.system import preemption
from tests.runs.in_process import bodies, compute, trained

pytestmark = pytest.mark.usefixtures("no_worker")
EVERY = kinds.names()
SOME = Rates(1e-9, 1e-9, 1e-9, 1e-3, 1e-3, 1e-6, 1e-6)


def asked(kind: str) -> Any:
    return kinds.get(kind).read(dict(kinds.get(kind).smallest), {})


def queued(kind: str) -> Job:
    return queue.get(jobs.launch(kind, asked(kind)))


@pytest.mark.parametrize("kind", EVERY)
def test_request_survives_the_queue_with_an_estimate(kind: str):
    made, wanted = kinds.get(kind), asked(kind)
    stored = json.loads(json.dumps(made.request(wanted)))
    assert made.request(made.parse(stored)) == made.request(wanted)
    assert made.base(stored)["rounds"] >= 1
    assert made.describe(made.parse(stored)).size
    cost = made.cost(wanted)
    assert min(cost.memory, cost.storage, cost.seconds(SOME)) > 0
    assert kinds.estimate(queued(kind)) == cost


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize("request_", [{}, {"draft": {}}, {"nothing": 1}], ids=str)
def test_a_request_that_cannot_be_read_is_a_sentence(kind: str, request_: dict[str, Any]):
    with pytest.raises(StudioError, match="cannot be read any more"):
        kinds.get(kind).parse(request_)
    assert kinds.estimate(queue.get(queue.add(kind, request_))) is None


def odd(given: Any) -> Iterator[Any]:
    """A request with something else in place of one of its values."""
    yield from (None, -1, 10**400, "x" * 9000, [], [[]], {}, {"a": 1})
    if isinstance(given, dict):
        for name, value in given.items():
            yield from ({**given, name: other} for other in odd(value))
    elif isinstance(given, list) and given:
        yield from ([*given[1:], other] for other in odd(given[0]))


@pytest.mark.parametrize("kind", EVERY)
def test_senseless_request_is_refused_briefly(kind: str):
    made = kinds.get(kind)
    for given in odd(json.loads(json.dumps(made.request(asked(kind))[made.part]))):
        try:
            made.describe(made.read(given, {}))
        except StudioError as error:
            assert len(str(error)) < 1500


@pytest.mark.parametrize("kind", EVERY)
def test_progress_rises_to_one_in_constant_fields(kind: str):
    job, steps = queued(kind), list[Step]()
    before = jobs.status(job.id)
    assert (before["kind"], before["status"]) == (kind, "queued")
    assert not describe(job).damaged
    kinds.get(kind).run(job, steps.append)
    shares = [step.share for step in steps if not step.doing]
    assert shares == sorted(shares)
    assert kind == "tune" or shares[-1] == pytest.approx(1.0), "how much a search takes is not known"
    assert jobs.status(job.id).keys() == before.keys()


@pytest.mark.parametrize("kind", EVERY)
def test_known_job_is_not_computed_again(kind: str):
    job = trained(dict(kinds.get(kind).smallest), kind)
    recorded = bodies(job)
    assert compute(job).status == "completed"
    assert bodies(job) == recorded != []
    again = queued(kind)
    assert again.status == ("queued" if kinds.get(kind).fresh else "completed")
    assert (again.keys == job.keys) is not kinds.get(kind).fresh


@pytest.mark.parametrize("kind", EVERY)
def test_kill_before_the_end_note_duplicates_no_event(kind: str, monkeypatch: pytest.MonkeyPatch):
    job = queued(kind)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Recorder, "end", Mock(side_effect=KeyboardInterrupt))
        compute(job)
    recorded = [one["event"] for one in bodies(job)]
    assert compute(job).status == "completed"
    assert [one["event"] for one in bodies(job)] == recorded


@pytest.mark.parametrize("kind", EVERY)
def test_preempted_job_records_equal_events(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It is asked to make room after each event, so it does so at every checkpoint."""
    whole = bodies(trained(dict(kinds.get(kind).smallest), kind))
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(tmp_path / "others"))
    job, write, asked_for, ends = queued(kind), Recorder.write, list[bool](), list[JobEnd]()

    def write_and_ask(recorder: Recorder, turn: Turn) -> None:
        write(recorder, turn)
        asked_for.append(True)

    monkeypatch.setattr(Recorder, "write", write_and_ask)
    monkeypatch.setattr(preemption, "_asked", asked_for)
    while not ends or ends[-1].status == "queued":
        asked_for.clear()
        ends.append(compute(job))
        assert len(ends) < 100
    assert ends[-1].status == "completed"
    assert {end.message for end in ends[:-1]} <= {ASIDE}
    assert sorted(map(timeless, bodies(job))) == sorted(map(timeless, whole))


def timeless(event: dict[str, Any]) -> str:
    """Without its time, and the place of what several processes computed at once."""
    return json.dumps({name: value for name, value in event.items() if name not in ("seconds", "cell")})


def test_a_job_of_a_kind_that_another_version_knew_harms_nobody():
    identity = queue.add("dream", {"draft": {"base": {"name": "x", "rounds": 3}}})
    assert describe(queue.get(identity)).damaged
    assert jobs.status(identity)["kind"] == "dream"
    said = train_job(queue.get(identity), 10**9)
    assert said.status == "failed" and "kind of job must be" in said.message
