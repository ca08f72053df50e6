"""Engines differ in last bits: what one has trained is known under its name."""

from __future__ import annotations

import pytest

from ldp_core.experiment import Draft, Variant, changed, parse
from ldp_core.runs import kinds
from ldp_core.runs.batch import ALONE, FOLDED, bits
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.queue.job import Job
from tests.runs.in_process import bodies, compute, queued

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("runs_dir")

EXPERIMENT = parse({"rounds": 5, "attack": None, "mechanism": "none"})
DRAFT = Draft(EXPERIMENT, (Variant("run"),))


def train() -> tuple[str, Job]:
    job = queued(DRAFT)
    assert compute(job).status == "completed"
    return bodies(job)[-1]["weights_sha256"], job


def test_what_one_engine_has_trained_is_not_shown_as_anothers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("EPSILON_ENGINE", raising=False)
    usual, first = train()
    monkeypatch.setenv("EPSILON_ENGINE", "batched")
    assert not kinds.is_known("run", Training(DRAFT))
    other, second = train()
    assert other != usual, "the last bits of five rounds"
    assert second.keys != first.keys
    assert train()[1].keys == second.keys
    monkeypatch.delenv("EPSILON_ENGINE")
    again, third = train()
    assert (again, third.keys) == (usual, first.keys)


def test_figures_have_the_engines_name(monkeypatch: pytest.MonkeyPatch):
    assert bits(EXPERIMENT) == bits(EXPERIMENT, together=False) == "fused"
    monkeypatch.setenv("EPSILON_ENGINE", "processes")
    assert bits(EXPERIMENT) == bits(EXPERIMENT, together=False) == f"{ALONE} processes"
    monkeypatch.setenv("EPSILON_ENGINE", "batched")
    assert (bits(EXPERIMENT), bits(EXPERIMENT, together=False)) == (FOLDED, ALONE)
    with_many = changed(EXPERIMENT, {"clients.count": 400})
    assert bits(with_many) == ALONE, "one that is not folded has the bits that it has by itself"
