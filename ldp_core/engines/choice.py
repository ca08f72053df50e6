"""Which engine trains a model, without torch: so that a lookup of a stored run knows what made it.

On a CPU that is a fused kernel. Where there is none, it is the engine that the model is fastest with besides,
and the choice says why. EPSILON_ENGINE overrules it: batched or processes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ldp_core.experiment import Experiment
from ldp_core.models.base import Model, Shape
from ldp_core.models.chain import Unfit, layers_of
from ldp_core.optimizers import Optimizer
from ldp_core.settings.table import ENGINE
from ldp_core.system import native_code
from ldp_core.system.resources import gpus

Kind = Literal["batched", "processes", "fused"]
OPTIMIZERS = ("sgd", "optimal", "adam")
"""That a kernel can step by: a rate times the gradient, or Adam's moments."""


@dataclass(frozen=True)
class Choice:
    """An engine, and why it is not the fused one where that was wanted."""

    kind: Kind
    note: str = ""


def chosen(
    batched: bool,
    on_cpu: bool,
    fit: Callable[[], str] | None,
    asked: str = "",
) -> Choice:
    """The engine for a model.

    Args:
        batched: whether all clients at once is what a CPU is fastest with besides a kernel.
        on_cpu: or on a GPU.
        fit: says why there is no fused kernel for it (`misfit`), "" if there is one; called only where one
            would be used, since it may have to be compiled.
        asked: in place of what the environment says.

    Raises:
        InvalidInput: the environment says what cannot be.
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
    """Engine whose figures this run equals bit for bit; "" for the default engine of its model."""
    kind = choice_for(experiment).kind
    return "" if kind == chosen(experiment.model.batched, not gpus(), None, "auto").kind else kind


def choice_for(experiment: Experiment, began: str = "") -> Choice:
    """The engine of an experiment on this machine, or of a run of it that `began` with one."""
    source = experiment.source

    def fit() -> str:
        return misfit(experiment.network, source.shape, source.classes, experiment.local.optimizer)

    return chosen(experiment.model.batched, not gpus(), fit, began)
