"""Whole runs: what their events say, and the same experiment is the same run."""

import itertools
import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ldp_core import datasets, limits, models, trust
from ldp_core import many as module
from ldp_core.accounting import ledger
from ldp_core.attacks.findings.verdict import VISIBLE_DB
from ldp_core.datasets import Data
from ldp_core.errors import InvalidExperiment
from ldp_core.events import Ended, Event
from ldp_core.experiment import parse
from ldp_core.images import decode
from ldp_core.many import at_once, run_many
from ldp_core.simulate import simulate
from tests.conftest import ROOT
from tests.data import digits, events, rounds
from tests.extent import in_gate
from tests.warm import Interpreter

ROUND_KEYS = {
    "event", "round", "accuracy", "accuracy_per_class", "loss", "noise_variance", "noise_variance_theory",
    "clipped_fraction", "participants",
}  # fmt: skip
ATTACK_KEYS = {
    "event", "round", "client", "upload", "control", "attacker", "psnr", "psnr_mean_image", "ncc",
    "identification_rank", "candidates",
}  # fmt: skip


def test_run_without_noise_learns():
    assert rounds({"mechanism": "none", "attack": None})[-1]["accuracy"] >= 0.90


def test_events_are_ordered_and_complete():
    all_events = events({"rounds": 3})
    assert (all_events[0]["event"], all_events[0]["round"]) == ("start", 0)
    done = [e for e in all_events if e["event"] == "round"]
    assert [e["round"] for e in done] == [1, 2, 3]
    assert all(set(e) >= ROUND_KEYS for e in done)
    attacks = [e for e in all_events if e["event"] == "attack"]
    assert len(attacks) == 3 * 3 * 3
    assert all(set(e) >= ATTACK_KEYS for e in attacks)
    assert {e["control"] for e in attacks} == {None, "clean", "clipped"}
    assert len({e["client"] for e in attacks}) == 3
    assert json.loads(json.dumps(all_events, allow_nan=False)) == json.loads(json.dumps(all_events))
    end = all_events[-1]
    assert (end["event"], end["status"], len(end["weights_sha256"])) == ("end", "completed", 64)
    assert end["ledger"] == ledger(parse({"rounds": 3}))


def test_clean_control_succeeds_and_noise_hides():
    attacks = [e for e in events({"rounds": 1}) if e["event"] == "attack"]
    by = {(e["client"], e["control"]): e for e in attacks}
    for client in (1, 10, 20):
        assert by[client, "clean"]["psnr"] > 60
        assert by[client, "clean"]["ncc"] > 0.999
    strict = by[1, None]  # the default attacker falls back on what images look like, so no lower
    assert strict["psnr"] < min(strict["psnr_mean_image"] + VISIBLE_DB, strict["psnr_class_mean"])
    assert by[20, None]["psnr"] > by[20, None]["psnr_mean_image"] + 3


def test_targets_show_the_image_that_is_attacked():
    all_events = events({"rounds": 1, "mechanism": "none"})
    targets = {e["client"]: e for e in all_events if e["event"] == "target"}
    for attack in (e for e in all_events if e["event"] == "attack" and e["control"] == "clean"):
        difference = decode(attack["image"]).astype(int) - decode(targets[attack["client"]]["image"])
        assert abs(difference).max() <= 1


def test_accuracy_is_that_of_its_parts():
    last = rounds({"attack": None, "aggregator": "inverse_variance"})[-1]
    assert len(last["accuracy_per_class"]) == 10
    assert min(last["accuracy_per_class"]) <= last["accuracy"] <= max(last["accuracy_per_class"])
    assert set(last["accuracy_per_group"]) == {"strict", "permissive"}
    assert sum(last["client_weights"].values()) == pytest.approx(1)
    assert last["client_weights"]["permissive"] > 0.9


def test_a_group_that_holds_few_classes_sees_their_accuracy():
    partition = {"kind": "group_labels", "groups": [{"share": 0.9}, {"share": 0.1, "labels": [3]}]}
    last = rounds({"attack": None, "mechanism": "none", "partition": partition})[-1]
    assert last["accuracy_per_group"]["permissive"] == pytest.approx(last["accuracy_per_class"][3])


def test_a_diverging_run_keeps_its_curve_and_says_when_and_why():
    start, *_, end = events({"local": {"learning_rate": 1e6}})
    assert (start["event"], end["status"]) == ("start", "diverged")
    assert end["message"].startswith("diverged at round 1: ") and "learning rate" in end["message"]


def test_the_same_experiment_is_bit_equal_in_a_fresh_process(interpreter: Interpreter, tmp_path: Path):
    """And in this one, which has trained others before."""
    words = ["ldp_core", "run", "-", "--set", "seed=11", "aggregator.name=inverse_variance"]
    done = interpreter.run(words, ROOT, os.environ, tmp_path, "{}")
    assert done.returncode == 0, done.stderr
    there = [json.loads(line) for line in done.stdout.splitlines()]
    here = json.loads(json.dumps(events({"seed": 11, "aggregator": "inverse_variance"})))
    assert [one | {"seconds": 0} for one in there] == [one | {"seconds": 0} for one in here]
    other = events({"seed": 12, "aggregator": "inverse_variance"})
    assert other[-1]["weights_sha256"] != here[-1]["weights_sha256"]


def test_last_round_is_scored_without_noise_too():
    """Of a first round they are what a run without a mechanism sends: the same bits, so the same accuracy."""
    one = {"rounds": 1, "attack": None, "seed": 7}
    noisy = events({**one, "mechanism": "piecewise", "clients": {"epsilon": 0.5}})[-1]
    plain = events({**one, "mechanism": "none", "clients": {"epsilon": 0.5}})[-1]
    assert noisy["accuracy_unnoised"] == pytest.approx(plain["accuracy"], abs=0.01)
    assert noisy["accuracy"] < plain["accuracy"] - 0.1
    assert plain["accuracy_unnoised"] is None, "there is nothing to take away"


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


SMALL: dict[str, dict[str, Any]] = {"resnet18": {"width": 4}}
COSTLY = {("cifar10", "logistic_regression"), ("cifar10", "mlp2"), ("covtype", "mlp2")}
"""No other test needs these kernels, and a network with one layer is trained on either data set."""
PAIRS = [
    pair for pair in itertools.product(datasets.names(), models.names()) if pair not in in_gate(COSTLY, set())
]
FIRST = {(datasets.get(name).shape, model): name for name, model in reversed(PAIRS)}
"""Of data sets of one shape, the one on which the gate trains a convolution; all of them by hand."""


def made_up(name: str) -> Data:
    """Thirty samples to train on and ten to test, in the shape of a data set."""
    source, generator = datasets.get(name), np.random.default_rng(0)
    x = generator.random((40, *source.shape)).astype(np.float32)
    y = generator.integers(0, source.classes, 40)
    y[:10] = np.arange(10) % source.classes
    return Data(x[:30], y[:30], x[30:], y[30:], source.classes)


def one_round(dataset: str, model: str) -> list[Any]:
    experiment = {
        "dataset": dataset,
        "model": {"name": model, **SMALL.get(model, {})},
        "clients": {"count": 3, "epsilon": 8},
        "local": {"epochs": 1, "batch_size": 4, "learning_rate": 0.01},
        "rounds": 1,
    }
    # what attacks convolutions searches, and has tests of its own; of one shape, attacks are alike
    if not models.get(model).batched or FIRST[datasets.get(dataset).shape, model] != dataset:
        experiment["attack"] = in_gate(None, "auto")
    return list(simulate(parse(experiment), made_up(dataset)))


@pytest.mark.parametrize(
    ("dataset", "model"),
    [
        (name, model)
        for name, model in PAIRS
        if in_gate(models.get(model).batched or FIRST[datasets.get(name).shape, model] == name, True)
    ],
)
def test_unfit_model_names_fitting_ones(dataset: str, model: str):
    shape = datasets.get(dataset).shape
    if not models.get(model).fits(shape):
        with pytest.raises(InvalidExperiment) as caught:
            parse({"dataset": dataset, "model": model})
        [problem] = caught.value.problems
        fitting = [name for name in models.names() if models.get(name).fits(shape)]
        assert problem.path == "model"
        assert all(name in problem.message for name in fitting)
        assert f"{model} needs {models.get(model).needs}" in problem.message
        return
    result = one_round(dataset, model)
    end = result[-1]
    assert isinstance(end, Ended)
    assert (end.status, end.round) == ("completed", 1)
