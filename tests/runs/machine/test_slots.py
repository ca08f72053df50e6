"""Slots: as many as there are GPUs, or half the cores; and who has them."""

import os
from pathlib import Path

import psutil
import pytest

from ldp_core.runs import queue
from ldp_core.runs.machine import slots
from ldp_core.system import resources
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
