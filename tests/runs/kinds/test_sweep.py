"""Sweeps as jobs: cells are stored as they finish, survive a kill, and are never trained twice."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.experiment.sweep import parse_sweep
from ldp_core.runs import jobs, queue
from ldp_core.runs.batch import ALONE, FOLDED, bits
from ldp_core.runs.record import cells as store
from ldp_core.runs.record import computations
from ldp_core.runs.train_all import train_all
from ldp_core.system import native_code
from tests.gate import holding
from tests.runs.in_process import bodies, trained
from tests.runs.processes import until

FEW: dict[str, Any] = {
    "base": {"rounds": 1},
    "grid": {"clients.epsilon": [0.5, 1, 2], "mechanism.name": ["duchi", "piecewise"]},
    "seeds": 2,
}


def test_every_cell_is_stored_once_with_what_it_sets(runs_dir: Path):
    job = trained(FEW, "sweep")
    assert job.status == "completed"
    found = sorted(bodies(job), key=lambda one: one["cell"])  # they come as processes end them
    assert [one["cell"] for one in found] == list(range(12))
    for one, cell in zip(found, parse_sweep(FEW).cells, strict=True):
        assert (one["event"], one["status"]) == ("cell", "completed")
        assert (one["set"], one["seed"], one["key"]) == (cell.set, cell.seed, cell.experiment.key)
        assert 0 <= one["accuracy"] <= 1


def test_what_another_sweep_has_trained_is_taken_over_to_the_same_bits_only(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    before = {one["key"]: one for one in bodies(trained(FEW, "sweep"))}
    wider = bodies(trained(FEW | {"grid": FEW["grid"] | {"clients.epsilon": [1, 2, 4]}}, "sweep"))
    by = {one["key"]: one["known"] for one in wider}
    assert {key for key, known in by.items() if known} == by.keys() & before.keys()
    assert len(by.keys() & before.keys()) == 8
    for one in wider:
        if one["known"]:
            assert one["weights_sha256"] == before[one["key"]]["weights_sha256"]
    monkeypatch.setattr(store, "bits", lambda _: "others")
    third = bodies(trained(FEW | {"grid": FEW["grid"] | {"clients.epsilon": [1, 2]}}, "sweep"))
    assert not any(one["known"] for one in third)


def test_a_run_is_known_to_sweeps_with_what_it_came_to(runs_dir: Path):
    many = {"rounds": 2, "clients": {"count": 400}}  # too many to be trained beside another run's
    asked = parse(many | {"attack": None})
    assert bits(asked) == ("fused" if native_code.installed() else ALONE)
    trained(Draft(asked, (Variant("run"),)))
    ((_, alone),) = train_all([asked])
    found = bodies(trained({"base": many, "grid": {"seed": [0, 1]}}, "sweep"))
    assert [cell["known"] for cell in found] == [True, False]
    assert found[0]["weights_sha256"] == alone.weights_sha256
    assert found[0]["accuracy"] == alone.accuracy


@pytest.mark.parametrize("engine", ["auto", "batched"])
def test_what_was_trained_in_one_product_with_others_is_no_run_of_its_own(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch, engine: str
):
    """Their last bits may differ, so that one is not shown for the other; a kernel's do not."""
    monkeypatch.setenv("EPSILON_ENGINE", engine)
    kernel = engine == "auto" and native_code.installed()
    small = {"rounds": 2, "attack": None}
    trained(Draft(parse(small), (Variant("run"),)))
    asked = {"base": small, "grid": {"seed": [0, 1]}}
    assert {bits(cell.experiment) for cell in parse_sweep(asked).cells} == {"fused" if kernel else FOLDED}
    assert [cell["known"] for cell in bodies(trained(asked, "sweep"))] == [kernel, False]


def test_the_oldest_figures_go_first(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(computations, "MOST_CELLS", 4)
    every = [cell.experiment for cell in parse_sweep(FEW).cells]
    keys = [computations.key_of_figures(one, FOLDED) for one in every]
    for number, key in enumerate(keys):
        computations.note_ends([(key, "figures", "completed", {"number": number})])
    computations.sweep()
    left = computations.ended(keys)
    assert [left[key].figures["number"] for key in keys if key in left] == [8, 9, 10, 11]


def test_cells_that_diverge_are_counted_in_words(runs_dir: Path):
    wild = {"base": {"rounds": 1}, "grid": {"local.learning_rate": [0.5, 1e6]}}
    assert trained(wild, "sweep").message == "1 of 2 cells diverged"
    all_wild = {"base": {"rounds": 1}, "grid": {"local.learning_rate": [1e6, 1e7]}}
    assert trained(all_wild, "sweep").status == "diverged"


LONG: dict[str, Any] = {
    "base": {"rounds": 10},
    "grid": {"clients.epsilon": [0.5, 1, 2, 4, 8], "mechanism.name": ["duchi", "piecewise", "none"]},
    "seeds": 20,
}


@pytest.mark.alone
@pytest.mark.usefixtures("clean_processes")
def test_a_sweep_that_is_killed_goes_on_with_the_cells_that_are_left(runs_dir: Path):
    """And one that is stopped keeps what is done. The kills are real, in the middle of the training."""
    asked = parse_sweep(LONG)
    identity = jobs.launch("sweep", asked)
    every = len(asked.cells)

    def done() -> int:
        return int(jobs.status(identity)["cells"])

    with holding(runs_dir, 6):
        seen = list[dict[str, Any]]()
        for _ in range(2):
            more = len(seen) + 3
            until(identity, lambda job, more=more: done() >= more and job.pid)  # type: ignore[misc]
            pid = queue.get(identity).pid
            assert pid
            os.kill(pid, signal.SIGKILL)
            job = until(identity, lambda job: not job.live)
            assert job.status == "interrupted"
            now = bodies(job)
            assert now[: len(seen)] == seen, "what was stored stays as it is"
            seen = now
            jobs.resume(identity)
        until(identity, lambda job: done() >= len(seen) + 3)
        assert jobs.status(identity)["cells_in_all"] == every == 300
        jobs.cancel(identity)
    job = until(identity, lambda job: not job.live)
    assert job.status == "cancelled"
    kept = bodies(job)
    assert kept[: len(seen)] == seen
    numbers = [one["cell"] for one in kept]
    assert len(set(numbers)) == len(numbers), "no cell is trained twice"
    few = dict(train_all([asked.cells[number].experiment for number in numbers[:6]]))
    assert [few[i].weights_sha256 for i in range(6)] == [one["weights_sha256"] for one in kept[:6]]
    assert json.loads(json.dumps(jobs.status(identity)))["cells"] == len(kept) < every
