"""Sweeps as jobs: cells are stored as they finish, survive a kill, and are never trained twice."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from ldp_core.experiment import parse, parse_draft
from ldp_core.experiment.sweep import parse_sweep
from ldp_core.runs import jobs, queue
from ldp_core.runs.batch import FOLDED, bits
from ldp_core.runs.record import cells as store
from ldp_core.runs.record import computations
from ldp_core.runs.train_all import train_all
from tests.gate import holding
from tests.runs.in_process import bodies, trained
from tests.runs.processes import ended, until

FEW: dict[str, Any] = {
    "base": {"rounds": 1},
    "grid": {"clients.epsilon": [0.5, 1, 2], "mechanism.name": ["duchi", "piecewise"]},
    "seeds": 2,
}


def test_known_cells_are_reused_with_equal_bits(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    def swept(*epsilons: float) -> list[dict[str, Any]]:
        return bodies(trained(FEW | {"grid": FEW["grid"] | {"clients.epsilon": epsilons}}, "sweep"))

    before = {one["key"]: one["weights_sha256"] for one in swept(0.5, 1, 2)}
    wider = swept(1, 2, 4)
    known = {one["key"]: one["weights_sha256"] for one in wider if one["known"]}
    assert known.keys() == before.keys() & {one["key"] for one in wider}
    assert len(known) == 8 and known.items() <= before.items()
    monkeypatch.setattr(store, "bits", lambda _: "others")
    assert not any(one["known"] for one in swept(1, 2))


def test_finished_run_is_known_to_sweeps(runs_dir: Path):
    many = {"rounds": 2, "clients": {"count": 400}}  # too many to be trained beside another run's
    asked = parse(many | {"attack": None})
    assert bits(asked) == "fused"
    trained(parse_draft(many | {"attack": None}))
    ((_, alone),) = train_all([asked])
    first, other = bodies(trained({"base": many, "grid": {"seed": [0, 1]}}, "sweep"))
    assert (first["known"], other["known"]) == (True, False)
    assert (first["weights_sha256"], first["accuracy"]) == (alone.weights_sha256, alone.accuracy)


@pytest.mark.parametrize("engine", ["auto", "batched"])
def test_folded_cell_is_not_known_as_a_run(runs_dir: Path, monkeypatch: pytest.MonkeyPatch, engine: str):
    """Their last bits may differ, so that one is not shown for the other; a kernel's do not."""
    monkeypatch.setenv("EPSILON_ENGINE", engine)
    kernel = engine == "auto"
    small = {"rounds": 2, "attack": None}
    trained(parse_draft(small))
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
def test_killed_sweep_resumes_with_missing_cells(runs_dir: Path):
    """And one that is stopped keeps what is done. The kills are real, in the middle of the training."""
    asked = parse_sweep(LONG)
    identity = jobs.launch("sweep", asked)

    def done() -> int:
        return int(jobs.status(identity)["cells"])

    with holding(runs_dir, 6):
        seen = list[dict[str, Any]]()
        for _ in range(2):
            more = len(seen) + 3
            until(identity, lambda job, more=more: done() >= more and job.pid)  # type: ignore[misc]
            os.kill(queue.get(identity).pid or pytest.fail("nothing trains"), signal.SIGKILL)
            job = ended(identity)
            assert job.status == "interrupted"
            before, seen = seen, bodies(job)
            assert seen[: len(before)] == before, "what was stored stays as it is"
            jobs.resume(identity)
        until(identity, lambda job: done() >= len(seen) + 3)
        assert jobs.status(identity)["cells_in_all"] == len(asked.cells) == 300
        jobs.cancel(identity)
    job = ended(identity)
    kept = bodies(job)
    assert job.status == "cancelled" and kept[: len(seen)] == seen
    numbers = [one["cell"] for one in kept]
    assert len(set(numbers)) == len(numbers), "no cell is trained twice"
    few = dict(train_all([asked.cells[number].experiment for number in numbers[:6]]))
    assert [few[i].weights_sha256 for i in range(6)] == [one["weights_sha256"] for one in kept[:6]]
    assert jobs.status(identity)["cells"] == len(kept) < 300
