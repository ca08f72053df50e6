"""Trainings whose attacks follow, stopped on the way; attack grids, stored by cells and taken up again."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.runs import jobs, queue
from ldp_core.runs.kinds import attack as kind_of_attack
from ldp_core.runs.kinds import run as kind
from ldp_core.runs.lockstep import Turn
from ldp_core.runs.queue.job import ASIDE
from ldp_core.runs.record import computations
from ldp_core.runs.record.checkpoints import Recorder
from ldp_core.runs.record.events import news
from ldp_core.system import preemption
from tests.data import events
from tests.runs.in_process import bodies, compute, queued, recorder_of, trained

pytestmark = pytest.mark.usefixtures("runs_dir")
QUICK: Any = {"attacker": "least_squares", "clients": [1]}
SEARCHED: Any = {"attacker": {"name": "dlg", "iterations": 12}, "clients": [1]}
AFTER = SEARCHED | {"rounds": [1], "after": True}
WILD: Any = {"model": "mlp", "mechanism": "duchi", "local": {"learning_rate": 20, "optimizer": "sgd"}}
ONE, BOTH = (Variant("a"),), (Variant("a"), Variant("b", {"rounds": 2}))
DRAFTS = {
    "quick attacks": Draft(parse({"rounds": 3, "attack": QUICK}), BOTH),
    "searches": Draft(parse({"rounds": 2, "attack": SEARCHED}), ONE),
    "after": Draft(parse({"rounds": 2, "attack": AFTER}), ONE),
    "diverges": Draft(parse({"rounds": 6, "attack": QUICK, **WILD}), ONE),
}
every_draft = pytest.mark.parametrize("draft", DRAFTS.values(), ids=DRAFTS.keys())
WAYS = {"attacks last": (5.0, 2**26), "attack after round": (0.0, 2**26), "no memory": (5.0, 0)}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())


def test_description_names_rounds_of_each_variant():
    assert "2 to 3 rounds" in kind.TrainingJob().describe(kind.Training(DRAFTS["quick attacks"])).size


@pytest.fixture
def chosen(way: tuple[float, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind, "FIRST_SECONDS", way[0])
    monkeypatch.setattr("ldp_core.runs.lockstep.PENDING_BYTES", way[1])


def simulated(draft: Draft) -> list[list[dict[str, Any]]]:
    """Events of each run, as the library yields them."""
    return [timeless(events(one.as_json())) for one in draft.experiments()]


def timeless(some: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event | {"seconds": 0} for event in some]


@every_way
@every_draft
@pytest.mark.usefixtures("chosen")
def test_recorded_order_is_that_of_the_simulation(draft: Draft):
    compute(job := queued(draft))
    assert [timeless(bodies(job, run)) for run in range(len(job.keys))] == simulated(draft)


@every_way
@every_draft
@pytest.mark.usefixtures("chosen")
def test_run_killed_again_and_again_stores_equal_events(draft: Draft, monkeypatch: pytest.MonkeyPatch):
    """After one turn, then after two, and so on."""
    job, write, left, attempts = queued(draft), Recorder.write, 0, 0

    def write_and_die(recorder: Recorder, turn: Turn) -> None:
        nonlocal left
        write(recorder, turn)
        left -= 1
        if not left:
            raise KeyboardInterrupt

    monkeypatch.setattr(Recorder, "write", write_and_die)
    while computations.left(job.keys):
        left = attempts = attempts + 1
        with suppress(KeyboardInterrupt):
            compute(job)
    assert attempts > 2
    assert [timeless(bodies(job, run)) for run in range(len(job.keys))] == simulated(draft)
    ends = computations.ended(job.keys)
    for run, key in enumerate(job.keys):
        last = {**[one for one in bodies(job, run) if one["event"] == "round"][-1], **bodies(job, run)[-1]}
        stored = {name: value for name, value in ends[key].figures.items() if name != "seconds"}
        assert all(last.get(name, value) == value for name, value in stored.items())


@every_way
@every_draft
@pytest.mark.usefixtures("chosen")
def test_run_put_aside_stores_equal_events(draft: Draft, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(preemption, "_asked", [True])
    job, attempts = queued(draft), 0
    while computations.left(job.keys):
        compute(job)
        attempts += 1
        assert attempts < 20
    assert attempts > 1 or "after" in str(draft)
    assert [timeless(bodies(job, run)) for run in range(len(job.keys))] == simulated(draft)


@every_draft
def test_quick_training_is_stored_before_its_attacks(draft: Draft):
    compute(job := queued(draft))
    stored = sorted((one for key in job.keys for one in news(key).events), key=lambda one: one.at)
    kinds = [one.body["event"] for one in stored]
    assert max(n for n, one in enumerate(kinds) if one == "round") < kinds.index("attack")


@every_draft
def test_attacks_wait_for_the_first_curve_of_another_person(draft: Draft):
    job, rounds = queued(draft, owner="anna"), sum(one.rounds for one in draft.experiments())
    other = queued(Draft(parse({"rounds": 1}), ONE), owner="ben")
    outcome = compute(job)
    stored = [one["event"] for run in range(len(job.keys)) for one in bodies(job, run)]
    assert outcome.status == "diverged" or (outcome.message, stored.count("round")) == (ASIDE, rounds)
    assert outcome.status == "diverged" or "attack" not in stored
    assert queue.move(other.id, "cancelled")
    compute(job)
    assert [timeless(bodies(job, run)) for run in range(len(job.keys))] == simulated(draft)


def test_waiting_equal_run_does_not_preempt_the_training():
    job, _ = (queued(DRAFTS["quick attacks"], owner=owner) for owner in ("anna", "ben"))
    assert compute(job).status == "completed"


def test_round_of_a_long_training_is_stored_before_its_attack(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kind, "FIRST_SECONDS", 0.0)
    compute(job := queued(DRAFTS["searches"]))
    stored = [(one.body["round"], one.body["event"]) for one in news(job.keys[0]).events[2:-1]]
    each = [(number, event) for number in (1, 2) for event in ("round", "frame", "attack")]
    assert [*dict.fromkeys(stored)] == each


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
    monkeypatch.setattr(kind_of_attack, "MOST_KEPT", most)
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
