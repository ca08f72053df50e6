"""Jobs of kind "attack": stored as they are climbed, and taken up where they stopped."""

import time
from pathlib import Path
from typing import Any

import pytest

from ldp_core.cost.seconds import Rates, work_of_ladder
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import wait_estimate
from ldp_core.runs.kinds import attack as kind
from ldp_core.runs.process.turns import SLICE_SECONDS
from ldp_core.system import preemption
from tests.runs.in_process import bodies, compute, queued, recorder_of, trained

SMALL: dict[str, Any] = {"mechanisms": ["piecewise", "duchi"], "epsilons": [1, 8, 16], "images": 4}


@pytest.mark.usefixtures("no_worker")
def test_ladder_and_training_of_a_draft_are_two_jobs():
    trained = queue.add("run", {"draft": {}}, "a draft")
    first = jobs.launch("attack", parse_ladder(SMALL), "a draft")
    assert jobs.launch("attack", parse_ladder(SMALL), "a draft") == first, "a double click is one job"
    assert [job.id for job in jobs.of_draft("a draft", "attack")] == [first]
    assert [job.id for job in jobs.of_draft("a draft")] == [trained]
    state = jobs.status(first)
    assert (state["kind"], state["cells"], state["cells_in_all"]) == ("attack", 0, 6)


@pytest.mark.usefixtures("no_worker")
def test_wait_behind_an_attack_grid_is_its_own_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_SLOTS", "1")
    monkeypatch.setattr(wait_estimate, "rates", lambda: Rates(0, 0, 0, 0, 0, 0, 1e-6))
    first = jobs.launch("attack", parse_ladder(SMALL), "one")
    second = queue.get(jobs.launch("attack", parse_ladder(SMALL), "another"))
    takes = work_of_ladder(parse_ladder(SMALL)).likelihoods * 1e-6
    assert 0 < takes < SLICE_SECONDS
    assert wait_estimate.waits()[second.id].seconds == pytest.approx(takes)
    assert queue.claim()
    found = wait_estimate.waits()[second.id]
    assert found.sure and found.seconds == pytest.approx(takes, rel=0.1)
    queue.update(first, started=time.time() - 1e6)
    assert not wait_estimate.waits()[second.id].sure, "it has been at it for longer than was planned"


@pytest.mark.parametrize("most", [2**27, 0], ids=["kept", "too large"])
def test_searching_ladder_makes_room_and_goes_on(most: int, runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    asked: Any = {"base": {"model": "lenet"}, "mechanisms": ["duchi"], "epsilons": [1, 8], "images": 2}
    asked |= {"attacker": {"name": "idlg", "iterations": 12}}
    whole = bodies(trained(asked, "attack"))
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(runs_dir / "others"))
    monkeypatch.setattr(preemption, "_asked", [True])
    monkeypatch.setattr(kind, "MOST_KEPT", most)
    job, attempts = queued(asked, "attack"), 1
    while compute(job).status == "queued":
        attempts += 1
    assert attempts > 10 if most else attempts == 1
    assert bodies(job) == whole
    assert recorder_of(job).kept() is None


def test_ladder_beyond_memory_is_refused(runs_dir: Path):
    base = parse({"dataset": "cifar10", "model": "resnet18", "local": {"batch_size": 50_000}})
    with pytest.raises(InvalidExperiment, match="B"):
        jobs.launch("attack", Ladder(base=base))
    assert queue.find() == []
