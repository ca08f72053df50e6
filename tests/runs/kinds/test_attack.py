"""Jobs of kind "attack": stored as they are climbed, and taken up where they stopped."""

from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.runs import jobs, queue
from ldp_core.runs.kinds import attack as kind
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
