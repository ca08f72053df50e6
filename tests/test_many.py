"""Many runs whose clients are trained together are the same runs, side by side."""

from collections import defaultdict
from typing import Any

import pytest
import torch

from ldp_core import limits, trust
from ldp_core import many as module
from ldp_core.events import Event
from ldp_core.experiment import parse
from ldp_core.many import at_once, run_many
from tests.data import digits, events

BASE: dict[str, Any] = {"attack": None, "rounds": 4}
CASES = [
    BASE,
    BASE | {"seed": 1},
    BASE | {"mechanism": "duchi", "rounds": 6},
    BASE | {"clients": {"count": 7, "epsilon": 4}, "local": {"learning_rate": 0.2}},
    BASE | {"model": "mlp", "mechanism": "none", "target": "update"},
    BASE | {"local": {"optimizer": "adam", "learning_rate": 0.01}, "mechanism": "laplace"},
    BASE | {"selection": {"kind": "once"}},
    BASE | {"attack": "auto", "rounds": 2},
]
EMPTY: dict[str, dict[str, Any]] = {"round": {"spent": {}}, "end": {"ledger": [], "accuracy_unnoised": None}}
"""Of the events where no more than a run's figures is asked for."""
CLOSE = ("noise_variance", "signal_variance", "noise_variance_theory", "loss", "accuracy")


def folded(cases: list[dict[str, Any]], figures: bool = False) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for number, event in run_many(enumerate(map(parse, cases)), {"digits": digits()}, figures=figures):
        assert isinstance(event, Event)
        found[number].append(event.as_json())
    return found


def test_folded_run_has_the_events_of_a_lone_run(monkeypatch: pytest.MonkeyPatch):
    """All kinds of work side by side; the last bits of the weights may differ, and nothing else."""
    monkeypatch.setenv("EPSILON_ENGINE", "batched")
    found = folded(CASES)
    for number, case in enumerate(CASES):
        alone = events(case)
        assert [e["event"] for e in found[number]] == [e["event"] for e in alone]
        for mine, theirs in zip(found[number], alone, strict=True):
            assert mine.get("participants") == theirs.get("participants")
            for name in CLOSE:
                if name in theirs:
                    assert mine[name] == pytest.approx(theirs[name], rel=1e-3), (number, name)
        assert found[number][-1]["ledger"] == alone[-1]["ledger"]


def test_figures_only_runs_keep_the_last_round():
    whole, less = folded(CASES[:6]), folded(CASES[:6], figures=True)
    assert whole.keys() == less.keys()
    for number, emitted in whole.items():
        rounds = CASES[number]["rounds"]
        assert [one.get("round") for one in less[number]] == [*range(1, rounds + 1), rounds]
        assert [one["event"] for one in less[number]] == ["trained"] * (rounds - 1) + ["round", "end"]
        for full, short in zip(emitted[-2:], less[number][-2:], strict=True):
            empty = EMPTY[full["event"]]
            assert short == full | empty
            assert all(full[name] for name in empty) or CASES[number].get("mechanism") == "none"


def test_more_than_are_under_way_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "ROWS", 40)
    found = folded([BASE | {"seed": seed, "rounds": 1 + seed % 3} for seed in range(7)])
    assert [len(found[i]) for i in range(7)] == [2 + 1 + i % 3 for i in range(7)]
    assert len({found[i][-1]["weights_sha256"] for i in range(7)}) == 7


def test_a_run_that_fills_a_product_is_trained_by_itself(monkeypatch: pytest.MonkeyPatch):
    assert at_once(parse({})) == 16
    assert at_once(parse({"clients": {"count": 400}})) == 1
    monkeypatch.setattr("ldp_core.many.device_for", lambda _: torch.device("cpu"))
    assert at_once(parse({"dataset": "mnist", "model": "cnn"})) == 1
    assert at_once(parse({"dataset": "mnist", "model": {"name": "mlp2", "hidden": 512}})) < 16, "memory"


@pytest.mark.parametrize("kind", trust.names())
def test_folded_runs_keep_their_noise_under_any_trust(kind: str):
    own = {
        "trust": kind,
        "target": "update",
        "clients": {"epsilon": 4, "epsilon_scope": "run", "range": 0.05},
    }
    cases = [BASE | own | {"local": {"learning_rate": rate}} for rate in (0.4, 0.5)]
    ends = [runs[-1]["weights_sha256"] for runs in folded(cases, figures=True).values()]
    assert ends == [events(case)[-1]["weights_sha256"] for case in cases]


@pytest.mark.parametrize("chunk", [limits.CHUNK_BYTES, 4 * 650 * 8 + 1])
def test_runs_of_a_kernel_have_each_ones_own_bits(chunk: int, monkeypatch: pytest.MonkeyPatch):
    """Also where the clients of a round come in several chunks, unlike many in each run."""
    monkeypatch.setattr(limits, "CHUNK_BYTES", chunk)
    rate, few = {"seed": 1, "local": {"learning_rate": 0.2}}, {"clients": {"count": 7}}
    cases = [BASE, BASE | rate, BASE | few, BASE | {"selection": "once"}, BASE | {"model": "mlp"}]
    found = folded(cases)
    for number, case in enumerate(cases):
        assert found[number] == events(case)
