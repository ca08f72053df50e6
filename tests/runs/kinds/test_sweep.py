"""Sweeps as jobs: cells are stored as they finish, survive a kill, and are never trained twice."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ldp_core.experiment import Experiment
from ldp_core.experiment.sweep import Sweep, parse_sweep
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.kinds import sweep as kind
from ldp_core.runs.record import results
from ldp_core.runs.record.store import events_after
from ldp_core.runs.train_all import ALONE, FOLDED, Figures, bits, train_all
from ldp_core.runs.view.sweep_progress import SweepProgress
from ldp_core.system import native_code
from tests.gate import holding
from tests.runs.processes import until

FEW: dict[str, Any] = {
    "base": {"rounds": 1},
    "grid": {"clients.epsilon": [0.5, 1, 2], "mechanism.name": ["duchi", "piecewise"]},
    "seeds": 2,
}


def cells(folder: Path) -> list[dict[str, Any]]:
    return [event.body for event in events_after(folder)]


def bare(found: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Cells by their numbers, without what differs from time to time."""
    return {
        one["cell"]: {k: v for k, v in one.items() if k not in ("seconds", "known_from")} for one in found
    }


def run(asked: Sweep, folder: Path) -> kinds.Outcome:
    return kinds.get("sweep").run(asked, folder)


@pytest.fixture
def asked(runs_dir: Path) -> Sweep:
    return parse_sweep(FEW)


def test_every_cell_is_stored_once_with_what_it_sets(asked: Sweep, tmp_path: Path):
    assert run(asked, tmp_path).status == "completed"
    found = cells(tmp_path)
    found.sort(key=lambda one: one["cell"])  # they come as processes end them
    assert [one["cell"] for one in found] == list(range(12))
    for one, cell in zip(found, asked.cells, strict=True):
        assert (one["event"], one["status"]) == ("cell", "completed")
        assert (one["set"], one["seed"], one["key"]) == (cell.set, cell.seed, cell.experiment.key)
        assert 0 <= one["accuracy"] <= 1


def test_cells_that_are_stored_are_not_trained_again(
    asked: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run(asked, tmp_path / "whole")
    trained = list[Experiment]()

    def stopped_after_five(experiments: Sequence[Experiment], *told: Any) -> Iterator[tuple[int, Figures]]:
        for place, figures in train_all(experiments, *told):
            if len(trained) == 5:
                raise KeyboardInterrupt
            trained.append(experiments[place])
            yield place, figures

    def counted(experiments: Sequence[Experiment], *told: Any) -> Iterator[tuple[int, Figures]]:
        trained.extend(experiments)
        return train_all(experiments, *told)

    monkeypatch.setattr(results, "find", lambda *_: {})
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(kind, "train_all", stopped_after_five)
        run(asked, tmp_path / "cut")
    assert len(cells(tmp_path / "cut")) == 5
    monkeypatch.setattr(kind, "train_all", counted)
    assert run(asked, tmp_path / "cut").status == "completed"
    assert sorted(one.key for one in trained) == sorted(cell.experiment.key for cell in asked.cells)
    assert bare(cells(tmp_path / "cut")) == bare(cells(tmp_path / "whole"))


def test_what_another_sweep_has_trained_is_taken_over_to_the_same_bits_only(
    asked: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run(asked, tmp_path / "first")
    wider = parse_sweep(FEW | {"grid": FEW["grid"] | {"clients.epsilon": [1, 2, 4]}})
    run(wider, tmp_path / "second")
    by = {one["key"]: one["known_from"] for one in cells(tmp_path / "second")}
    before = {one["key"]: one for one in cells(tmp_path / "first")}
    assert {key for key, job in by.items() if job == "first"} == by.keys() & before.keys()
    assert len(by.keys() & before.keys()) == 8
    for one in cells(tmp_path / "second"):
        if one["known_from"]:
            assert one["weights_sha256"] == before[one["key"]]["weights_sha256"]
    monkeypatch.setattr(kind, "bits", lambda _: "others")
    run(asked, tmp_path / "third")
    assert all(one["known_from"] is None for one in cells(tmp_path / "third"))


def test_a_run_is_in_the_index_with_what_it_came_to(runs_dir: Path, tmp_path: Path):
    made = kinds.get("run")
    many = {"rounds": 2, "clients": {"count": 400}}  # too many to be trained beside another run's
    asked = made.read(many | {"attack": None}, {})
    assert bits(asked.draft.base) == ALONE
    made.run(asked, tmp_path / "job")
    (one,) = results.newest()
    ((_, alone),) = train_all([asked.draft.base])
    assert (one.key, one.job) == (asked.draft.base.key, "job")
    assert {**one.figures, "seconds": 0} == {**alone.as_json(), "seconds": 0}
    sweep = parse_sweep({"base": many, "grid": {"seed": [0, 1]}})
    run(sweep, tmp_path / "sweep")
    assert [cell["known_from"] for cell in cells(tmp_path / "sweep")] == ["job", None]


@pytest.mark.parametrize("engine", ["auto", "batched"])
def test_what_was_trained_with_others_is_no_run_of_its_own(
    runs_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
):
    """Their last bits may differ, so that one is not shown for the other."""
    monkeypatch.setenv("EPSILON_ENGINE", engine)
    kernel = engine == "auto" and native_code.installed()
    small = {"rounds": 2, "attack": None}
    made = kinds.get("run")
    made.run(made.read(small, {}), tmp_path / "job")
    sweep = parse_sweep({"base": small, "grid": {"seed": [0, 1]}})
    assert {bits(cell.experiment) for cell in sweep.cells} == {"fused" if kernel else FOLDED}
    run(sweep, tmp_path / "sweep")
    assert [cell["known_from"] for cell in cells(tmp_path / "sweep")] == [None, None]


def test_the_index_of_results_tells_fields_and_figures_newest_first(asked: Sweep, tmp_path: Path):
    run(asked, tmp_path / "job")
    found = results.newest()
    assert {one.key for one in found} == {cell.experiment.key for cell in asked.cells}
    fields = {one.key: one.experiment for one in found}
    assert all(fields[cell.experiment.key] == cell.experiment.as_json() for cell in asked.cells)
    told = {one["key"]: one["accuracy"] for one in cells(tmp_path / "job")}
    assert {one.key: one.figures["accuracy"] for one in found} == told


def test_the_oldest_results_go_first(asked: Sweep, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(results, "MOST", 4)
    for number, cell in enumerate(asked.cells):
        results.note("job", [(cell.experiment, {"number": number})], FOLDED)
    assert [one.figures["number"] for one in results.newest()] == [11, 10, 9, 8]


def test_a_damaged_index_costs_time_and_no_sweep(asked: Sweep, runs_dir: Path, tmp_path: Path):
    run(asked, tmp_path / "first")
    (runs_dir / "results.sqlite").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert results.find([cell.experiment.key for cell in asked.cells], FOLDED) == {}
    assert run(asked, tmp_path / "second").status == "completed"
    assert bare(cells(tmp_path / "second")) == bare(cells(tmp_path / "first"))


def test_cells_that_diverge_are_counted_in_words(runs_dir: Path, tmp_path: Path):
    wild = {"base": {"rounds": 1}, "grid": {"local.learning_rate": [0.5, 1e6]}}
    assert run(parse_sweep(wild), tmp_path / "one") == kinds.Outcome(message="1 of 2 cells diverged")
    all_wild = {"base": {"rounds": 1}, "grid": {"local.learning_rate": [1e6, 1e7]}}
    assert run(parse_sweep(all_wild), tmp_path / "all").status == "diverged"


def test_the_pace_is_that_of_the_cells_it_has_trained(asked: Sweep, tmp_path: Path):
    run(asked, tmp_path / "job")
    seen = SweepProgress(tmp_path / "job").update()
    assert len(seen.cells) == 12
    assert seen.seconds_left(12) == 0
    left = seen.seconds_left(24)
    assert left is not None
    assert left > 0


LONG: dict[str, Any] = {
    "base": {"rounds": 10},
    "grid": {"clients.epsilon": [0.5, 1, 2, 4, 8], "mechanism.name": ["duchi", "piecewise", "none"]},
    "seeds": 20,
}


@pytest.mark.alone
@pytest.mark.usefixtures("clean_processes")
def test_a_sweep_that_is_killed_goes_on_with_the_cells_that_are_left(runs_dir: Path, tmp_path: Path):
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
            now = cells(job.folder)
            assert now[: len(seen)] == seen, "what was stored stays as it is"
            seen = now
            jobs.resume(identity)
        until(identity, lambda job: done() >= len(seen) + 3)
        assert jobs.status(identity)["cells_in_all"] == every == 300
        jobs.cancel(identity)
    job = until(identity, lambda job: not job.live)
    assert job.status == "cancelled"
    kept = cells(job.folder)
    assert kept[: len(seen)] == seen
    numbers = [one["cell"] for one in kept]
    assert len(set(numbers)) == len(numbers), "no cell is trained twice"
    few = dict(train_all([asked.cells[number].experiment for number in numbers[:6]]))
    assert [few[i].weights_sha256 for i in range(6)] == [one["weights_sha256"] for one in kept[:6]]
    assert json.loads(json.dumps(jobs.status(identity)))["cells"] == len(kept) < every
