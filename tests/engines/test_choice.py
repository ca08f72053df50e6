"""Selection of the engine: without torch, and never with an error where a kernel is missing."""

import builtins
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch

from ldp_core import models, optimizers
from ldp_core.engines import choice
from ldp_core.engines.base import choose
from ldp_core.engines.choice import EngineChoice, bits, choice_for, chosen
from ldp_core.engines.plan import Recipe
from ldp_core.experiment import parse, plan
from ldp_core.federated.federation import assemble, device_for
from ldp_core.federated.state import State
from ldp_core.simulate import simulate
from ldp_core.system import native_code
from tests.data import digits, events, mnist_like

CPU = torch.device("cpu")


def recipe(model: str = "cnn", optimizer: str = "sgd") -> Recipe:
    return Recipe(models.get(model), (28, 28), 10, optimizers.get(optimizer), 0.1)


@pytest.fixture
def without_llvmlite(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if it were not installed: its import fails."""
    real = builtins.__import__

    def refused(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "llvmlite":
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refused)
    monkeypatch.setattr(native_code, "find_spec", lambda name: None)
    for name in [name for name in sys.modules if name.partition(".")[0] == "llvmlite"]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.startswith("ldp_core.engines.fused.")]:
        monkeypatch.delitem(sys.modules, name)
    native_code.refusal.cache_clear()
    yield
    native_code.refusal.cache_clear()


def test_layers_that_clients_keep_are_in_no_kernel():
    """The engine is chosen for what is trained: the network and the layers around it."""
    asked = parse({"system": "pd_ldpfl", "dataset": "mnist", "model": "cnn"})
    assert choice_for(plan(asked)).kind == "batched"
    ready = assemble(plan(asked), mnist_like(), CPU)
    assert (ready.engine.kind, ready.engine.each) == ("batched", True)
    assert choice_for(plan(parse({"model": "cnn", "dataset": "mnist"}))).kind == "fused"


def test_engine_follows_device_model_and_setting(monkeypatch: pytest.MonkeyPatch):
    fits, rains = lambda: "", lambda: "it rains"
    monkeypatch.delenv("EPSILON_ENGINE", raising=False)
    assert chosen(True, None) == chosen(False, fits) == EngineChoice("batched")
    assert chosen(True, fits) == EngineChoice("fused")
    assert chosen(True, rains) == EngineChoice("batched", "no fused kernel: it rains")
    for began in ("batched", "processes"):  # what a run began with goes first, by an earlier version too
        assert chosen(True, fits, began) == EngineChoice("batched")
    monkeypatch.setenv("EPSILON_ENGINE", "batched")
    assert chosen(True, fits) == EngineChoice("batched") and chosen(True, fits, "fused") == EngineChoice(
        "fused"
    )


def test_unsupported_network_falls_back_with_a_note(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_SLOT_CORES", "2")
    kernel = "2 clients at a time, a thread and a core each, fused kernel"
    words = dict.fromkeys([("cnn", "sgd"), ("mlp", "optimal"), ("mlp", "adam"), ("lenet", "sgd")], kernel)
    without = "2 clients at a time, a thread and a core each, PyTorch; no fused kernel: "
    words["resnet18", "sgd"] = f"{without}it has convolutions without a bias"
    for (model, optimizer), expected in words.items():
        one = recipe(model, optimizer)
        assert choose(one.model.batched, CPU, one).description == expected
    monkeypatch.setenv("EPSILON_SLOT_CORES", "1")
    assert choose(False, CPU, recipe()).description == "one client at a time on one core, fused kernel"


def test_without_llvmlite_everything_runs_with_a_note(
    without_llvmlite: None, monkeypatch: pytest.MonkeyPatch
):
    small = {"rounds": 2, "attack": None, "mechanism": "none"}
    found = events(small)
    assert found[0]["engine"] == "all clients at once on one core; no fused kernel: llvmlite is not installed"
    assert bits(parse(small)) == ""
    monkeypatch.setenv("EPSILON_ENGINE", "batched")
    assert events(small)[-1]["weights_sha256"] == found[-1]["weights_sha256"]
    assert bits(parse(small)) == "", "figures of the same bits have one name"


def test_failed_kernel_compilation_falls_back_with_a_note(monkeypatch: pytest.MonkeyPatch):
    from ldp_core.engines.fused import compiled

    def broken(*_: Any) -> bytes:
        raise RuntimeError("LLVM is in a mood")

    monkeypatch.setattr(compiled, "_made", broken)
    monkeypatch.setattr(compiled, "_kept", lambda _: None)
    compiled._compiled.cache_clear()
    compiled.failure.cache_clear()
    try:
        one = choose(True, CPU, recipe("mlp"))
        assert one.description.endswith("no fused kernel: LLVM could not make it (RuntimeError)")
        assert one.kind == "batched"
    finally:
        compiled.failure.cache_clear()


def test_figures_of_another_engine_have_a_name_of_their_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(choice, "gpus", list)
    tables, images = parse({}), parse({"dataset": "mnist", "model": "cnn"})
    adam = parse({"local": {"optimizer": "adam", "learning_rate": 0.001}})
    monkeypatch.delenv("EPSILON_ENGINE", raising=False)
    assert [bits(one) for one in (tables, images, adam)] == ["fused", "fused", "fused"]
    monkeypatch.setenv("EPSILON_ENGINE", "batched")
    assert [bits(one) for one in (tables, images)] == ["", ""]
    monkeypatch.setattr(choice, "gpus", lambda: ["0"])
    assert bits(images) == ""


@pytest.mark.parametrize(
    ("changes", "device"),
    [
        ({}, "cpu"),
        ({"dataset": "mnist", "model": "mlp"}, "cpu"),
        ({"dataset": "mnist", "model": "lenet"}, "cuda"),
        ({"dataset": "mnist", "model": "cnn", "clients": {"count": 2}}, "cpu"),
        ({"dataset": "mnist", "clients": {"count": 1_000}}, "cuda"),
        ({"model": "resnet18"}, "cuda"),
        ({"system": "pd_ldpfl"}, "cuda"),
    ],
)
def test_with_a_gpu_the_kernel_trains_small_steps(
    changes: dict[str, Any], device: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("EPSILON_ENGINE", raising=False)
    monkeypatch.setattr(choice, "gpus", lambda: ["0"])
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    asked = parse(changes)
    assert device_for(plan(asked)).type == device
    assert bits(asked) == ("fused" if device == "cpu" else "")
    assert device_for(plan(asked), "batched").type == "cuda", "a run goes on where it began"
    monkeypatch.setenv("EPSILON_ENGINE", "batched")
    assert device_for(plan(asked)).type == "cuda"


def test_run_begun_by_processes_is_resumed():
    asked, states = parse({"rounds": 2, "attack": None}), list[State]()
    list(simulate(asked, digits(), keep=states.append))
    earlier = next(one for one in states if one.round == 1)
    *_, end = simulate(asked, digits(), start=replace(earlier, engine="processes"))
    assert end.as_json()["status"] == "completed"
