"""Selection of the engine for a model, without torch, since looking up a stored run needs the engine's name.

On a CPU a fused kernel; where none can be compiled, the next fastest engine for the model, with the reason.
EPSILON_ENGINE overrides: batched or processes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ldp_core.experiment import Experiment
from ldp_core.models.base import Model, Shape
from ldp_core.models.chain import Unfit, layers_of
from ldp_core.optimizers import Optimizer
from ldp_core.settings import ENGINE
from ldp_core.system import native_code
from ldp_core.system.resources import gpus

Kind = Literal["batched", "processes", "fused"]
OPTIMIZERS = ("sgd", "optimal", "adam")
"""Optimisers that a kernel supports."""


@dataclass(frozen=True)
class Choice:
    """A kind of engine, and why a wanted fused kernel is not used."""

    kind: Kind
    note: str = ""


def chosen(batched: bool, on_cpu: bool, fit: Callable[[], str] | None, asked: str = "") -> Choice:
    """Kind of engine for a model; InvalidInput if the one in EPSILON_ENGINE cannot train it here.

    Args:
        batched: whether batching all clients is the fastest on a CPU without a kernel.
        fit: returns why there is no kernel for the model, else "" (`misfit`); called only if needed, as it
            may compile.
        asked: kind that takes precedence over EPSILON_ENGINE; "" for none.
    """
    asked = asked or ENGINE.value()
    if not on_cpu:
        return Choice("batched")
    wanted = fit is not None and asked in ("auto", "fused")
    why = fit() if fit and wanted else ""
    if wanted and not why:
        return Choice("fused")
    note = f"no fused kernel: {why}" if why else ""
    if asked == "batched" or (asked in ("auto", "fused") and batched):
        return Choice("batched", note)
    return Choice("processes", note)


def misfit(model: Model, shape: Shape, classes: int, optimizer: Optimizer) -> str:
    """Why the fused kernel cannot train this model here; "" if it can."""
    if optimizer.name not in OPTIMIZERS:
        return f"{optimizer.label} is trained without"
    try:
        layers_of(model, shape, classes)
    except Unfit as why:
        return str(why)
    return native_code.refusal()


def bits(experiment: Experiment) -> str:
    """Kind of engine whose figures this run equals bit for bit; "" for the model's default engine."""
    kind = choice_for(experiment).kind
    return "" if kind == chosen(experiment.model.batched, not gpus(), None, "auto").kind else kind


def choice_for(experiment: Experiment) -> Choice:
    """Kind of engine for an experiment on this machine."""
    source = experiment.source

    def fit() -> str:
        return misfit(experiment.network, source.shape, source.classes, experiment.local.optimizer)

    return chosen(experiment.model.batched, not gpus(), fit)
