"""Slots: one a GPU or for two cores, and who has them; how much of many runs is done, weighted by cost."""

import os
from pathlib import Path
from typing import Any

import psutil
import pytest

from ldp_core.datasets import Step
from ldp_core.experiment import Experiment, parse
from ldp_core.runs import queue
from ldp_core.runs.lockstep import drive
from ldp_core.runs.machine import slots, work_done
from ldp_core.runs.machine.work_done import CellsDone, RoundsDone
from ldp_core.runs.train_all import train_all
from ldp_core.system import resources
from tests.calibrated import calibrated
from tests.runs.processes import stand_in

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(resources, "DEVICES", tmp_path / "dev")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.delenv("EPSILON_SLOTS", raising=False)


@pytest.mark.parametrize(
    ("cores", "said", "expected"),
    [(1, "", 1), (2, "", 1), (3, "", 1), (4, "", 2), (16, "", 8), (2, "3", 3), (2, "64", 64)],
)
def test_slots_without_gpu_are_half_the_cores(
    cores: int, said: str, expected: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(resources, "cores", lambda: cores)
    monkeypatch.setenv("EPSILON_SLOTS", said)
    found = slots.slots()
    assert len(found) == slots.count() == expected
    assert {slot.cores for slot in found} == {max(1, cores // expected)}
    assert sum(slot.memory for slot in found) <= 0.8 * resources.memory()
    assert {slot.gpu for slot in found} == {None}


def test_each_gpu_has_a_slot_and_each_slot_sees_one_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "dev").mkdir()
    for name in ("nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm"):
        (tmp_path / "dev" / name).touch()
    assert resources.gpus() == [slot.gpu for slot in slots.slots()] == ["0", "1", "10"]
    monkeypatch.setenv("EPSILON_SLOTS", "4")
    assert [slot.gpu for slot in slots.slots()] == ["0", "1", "10", "0"]
    chosen = {"1": ["1"], "GPU-7f, 2": ["GPU-7f", "2"], "0,-1,1": ["0"], "-1": [], "": []}
    for said, expected in chosen.items():
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", said)
        assert resources.gpus() == expected
    monkeypatch.setenv("EPSILON_SLOT_CORES", "")
    slots.Slot(0, 3, 10**9, "GPU-7f").enter()
    assert (os.environ["CUDA_VISIBLE_DEVICES"], os.environ["EPSILON_SLOT_CORES"]) == ("GPU-7f", "3")


def test_container_limits_set_cores_and_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(resources, "CGROUP", tmp_path)
    free, physical = resources.cores(), psutil.virtual_memory().total
    assert resources.memory() == physical
    for cores, memory, expected in (
        ("100000", "5000000", (1, 5_000_000)),
        ("max", "max", (free, physical)),
    ):
        (tmp_path / "cpu.max").write_text(f"{cores} 100000\n")
        (tmp_path / "memory.max").write_text(f"{memory}\n")
        assert (resources.cores(), resources.memory()) == expected


def test_waiting_owner_gets_a_slot_before_a_second_one(monkeypatch: pytest.MonkeyPatch):
    """Anna's long job began before Ben's; when his ends, the slot is still his and not hers."""
    monkeypatch.setenv("EPSILON_SLOTS", "2")
    anna = [queue.add("run", {}, owner="anna") for _ in range(3)]
    ben = [queue.add("run", {}, owner="ben") for _ in range(3)]
    began = [job.id for _ in range(4) if (job := queue.claim(2))]
    assert began == [anna[0], ben[0]]
    assert queue.move(ben[0], "completed")
    following = next(queue.in_turn()).id
    claimed = queue.claim(2)
    assert claimed and claimed.id == following == ben[1]
    assert queue.move(ben[1], "cancelling")
    assert queue.move(ben[1], "cancelled")
    assert queue.move(ben[2], "cancelled")
    claimed = queue.claim(2)
    assert claimed and claimed.id == anna[1], "alone, she may have both"


def test_memory_of_a_job_can_be_set(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(resources, "cores", lambda: 4)
    monkeypatch.setattr(resources, "memory", lambda: 10_000)
    monkeypatch.setenv("EPSILON_SLOTS", "1")
    for gigabytes, expected in (("2", 2 * 10**9), ("", 8000), ("inf", 10**18)):
        monkeypatch.setenv("EPSILON_MEMORY_GB", gigabytes)
        (slot,) = slots.slots()
        assert (slot.cores, slot.memory) == (4, expected)


def test_slot_count_is_the_running_workers(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    """It was started with two; this process has been told something else since."""
    monkeypatch.setenv("EPSILON_SLOTS", "2")
    with stand_in(runs_dir):
        monkeypatch.setenv("EPSILON_SLOTS", "7")
        assert (slots.at_work(), slots.count()) == (2, 7)
        for torn in ("", " " * 400, " " * 32 + "[]", " " * 32 + '{"slots": 2}', " " * 32 + '{"pid": 1e400}'):
            (runs_dir / "worker.lock").write_text(torn)
            assert slots.at_work() == 7
    assert slots.at_work() == 7


@pytest.fixture
def measured(runs_dir: Path) -> None:
    calibrated(runs_dir)


def shares(runs: list[Experiment], *ticks: tuple[int, bool], before: int = 0) -> list[float]:
    steps = list[Step]()
    done = CellsDone(runs, steps.append, before=before)
    for tick in ticks:
        done(*tick)
    return [step.share for step in steps]


@pytest.mark.usefixtures("measured")
def test_progress_share_of_a_run_is_its_cost():
    """A run of ten rounds for ten times one of one, and a large model for more than a small one."""
    few, many = (parse({"rounds": n, "attack": None}) for n in (1, 10))
    each = ((1, False), (0, False), (0, True), (1, True))
    assert shares([few, many], *each) == pytest.approx([1 / 11, 2 / 11, 2 / 11, 1.0])
    wide = parse({"rounds": 1, "attack": None, "model": {"name": "mlp", "hidden": 256}})
    assert shares([few, wide], (0, False))[0] < 0.4


def test_before_the_machine_is_measured_rounds_count_alike(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(work_done, "rates", lambda: None)
    runs = [parse({"rounds": 3}), parse({"rounds": 1})]
    assert shares(runs, (0, False), before=2) == [(2 + 2 * 0.25) / 4], "two cells were known"


@pytest.mark.usefixtures("measured")
def test_folded_training_reports_every_round():
    """One that diverges is done with all its rounds."""
    steps = list[Step]()
    wild = {"local": {"learning_rate": 1e6}}
    made = [parse({"rounds": n, "attack": None, **more}) for n, more in ((2, {}), (3, {}), (5, wild))]
    assert len(list(train_all(made, tick=CellsDone(made, steps.append)))) == 3
    shares = [step.share for step in steps]
    assert shares == sorted(shares)
    assert {round(10 * share) for share in shares} >= {1, 10}
    assert len(set(shares)) >= 5


SEARCHED: dict[str, Any] = {"attacker": {"name": "dlg", "iterations": 20}, "rounds": [1], "after": True}


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    ("attack", "later"),
    [(None, True), (SEARCHED, False), (SEARCHED | {"rounds": None, "after": False}, True)],
    ids=["rounds alone", "searched after them", "all rounds searched after them"],
)
def test_watched_runs_finish_with_their_searches(attack: dict[str, Any] | None, later: bool):
    steps = list[Step]()
    runs = {n: parse({"rounds": 3, "seed": n, "attack": attack}) for n in (1, 2)}
    apart = dict.fromkeys(runs, later)
    done = RoundsDone(runs, {}, steps.append, apart)
    for turn in drive(runs, tick=done.tick, later=apart):
        done.turn(turn)
    shares = [step.share for step in steps]
    assert shares == sorted(shares)
    assert shares[0] == 0 and shares[-1] == 1
    assert steps[-1].total > 6 if attack else steps[-1].total == 6
    assert steps[-1].unit == ("rounds' worth" if attack else "rounds")
    assert sum(6 < step.done < step.total for step in steps) >= (2 if attack else 0), "searches count"


@pytest.mark.usefixtures("measured")
def test_job_may_stop_where_a_resume_repeats_a_tenth_at_most():
    quick: dict[str, Any] = {"attacker": "least_squares", "clients": [1]}
    runs = {0: parse({"rounds": 20, "attack": quick})}
    for later in (False, True):
        steps, repeated, trained, kept = list[Step](), list[float](), 0, 0
        done = RoundsDone(runs, {}, steps.append, {0: later})
        for turn in drive(runs, later={0: later}):
            trained += sum(event["event"] == "round" for event in turn.events)
            if done.turn(turn):
                assert turn.state and turn.state.round > kept
                repeated.append(trained - turn.state.round)
            kept = turn.state.round if turn.state else kept
        assert repeated
        assert 0 < max(repeated) <= steps[-1].total / 10 if later else max(repeated) == 0
