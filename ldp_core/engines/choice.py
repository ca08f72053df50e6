"""Selection of the engine for a model, without torch, since looking up a stored run needs the engine's name.

On a CPU a fused kernel; where none can be compiled, PyTorch, with the reason. With a GPU, PyTorch there, but
for small steps. EPSILON_ENGINE=batched overrides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ldp_core.experiment import Experiment, Plan, plan
from ldp_core.models.base import Model, Shape
from ldp_core.models.chain import Unfit, layers_of
from ldp_core.optimizers import Optimizer
from ldp_core.settings import ENGINE
from ldp_core.system import native_code
from ldp_core.system.resources import gpus

EngineKind = Literal["batched", "fused"]
SMALL = 2.5e7
"""Multiplications of a training step, of all clients' forward passes, below which a kernel leaves a GPU idle:
its three passes take a core 1 ms (at 150 GFLOP/s); to launch a step of dense layers takes 0.5 to 0.9 ms.
"""
OPTIMIZERS = ("sgd", "optimal", "adam")
"""Optimisers that a kernel supports."""


@dataclass(frozen=True)
class EngineChoice:
    """A kind of engine, and why a wanted fused kernel is not used."""

    kind: EngineKind
    note: str = ""


def chosen(on_cpu: bool, fit: Callable[[], str] | None, asked: str = "") -> EngineChoice:
    """Kind of engine for a model.

    Args:
        fit: returns why there is no kernel for the model, else "" (`misfit`); called only if needed, as it
            may compile.
        asked: kind that takes precedence over EPSILON_ENGINE; "" for none.
    """
    if not on_cpu or fit is None or (asked or ENGINE.value()) not in ("auto", "fused"):
        return EngineChoice("batched")
    why = fit()
    return EngineChoice("batched", f"no fused kernel: {why}") if why else EngineChoice("fused")


def misfit(model: Model, shape: Shape, classes: int, optimizer: Optimizer, needs_torch: str = "") -> str:
    """Why the fused kernel cannot train this model here; "" if it can."""
    if needs_torch:
        return needs_torch
    if optimizer.name not in OPTIMIZERS:
        return f"{optimizer.label} is trained without"
    try:
        layers_of(model, shape, classes)
    except Unfit as why:
        return str(why)
    return native_code.refusal()


def needs_torch(plan: Plan) -> str:
    """Why no kernel trains the clients, only PyTorch, all at once; "" if one may."""
    system = plan.experiment.system
    if plan.record_clipping:
        return "it cannot clip the gradient of each record"
    return "it knows no term of a system in the loss" if system and system.adds_term else ""


def bits(experiment: Experiment) -> str:
    """Kind of engine whose figures this run equals bit for bit; "" for PyTorch."""
    return choice_for(plan(experiment)).kind.replace("batched", "")


def choice_for(plan: Plan, began: str = "") -> EngineChoice:
    """Kind of engine for an experiment on this machine; `began`: that of a resumed run."""
    experiment, source, local = plan.experiment, plan.source, plan.experiment.local

    def fit() -> str:
        own = plan.network, source.shape, source.classes, local.optimizer
        return misfit(*own, needs_torch(plan))

    samples = experiment.clients.count * local.batch_size
    small = samples * plan.network.products(source.shape, source.classes) < SMALL
    return chosen(small or not gpus(), fit, began)
