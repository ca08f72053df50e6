"""The base class of servers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.component import Component
from ldp_core.fields import Number
from ldp_core.limits import NORM
from ldp_core.mechanisms.base import Floats
from ldp_core.models.base import Model, Slice
from ldp_core.models.dense import no_hidden_layer


@dataclass(frozen=True)
class Lied:
    """Public facts about a run by which its clients can be lied to, or cannot."""

    target: str
    system: str
    """Label of its system; "" without one."""
    summed: bool
    """Whether uploads are hidden in a sum."""
    model: Model
    shape: tuple[int, ...]
    classes: int


@dataclass(frozen=True)
class Task:
    """What a server knows when it makes a model for one round."""

    slices: Sequence[Slice]
    """Parameters of a network with one hidden layer: weights and biases of both layers."""
    weights: NDArray[np.float32]
    """Weights (d,) that it would send if it kept to the protocol."""
    public: Floats
    """Public images as the network sees them, (n, features)."""
    images: int
    """Number of images that an upload is made of."""
    room: float
    """Size up to which a weight of the first layer is sent back unclipped, whatever one step adds."""
    generator: np.random.Generator

    @property
    def units(self) -> int:
        return self.slices[0].shape[0]

    def filled(self, *parameters: Floats) -> NDArray[np.float32]:
        """All weights, with the first parameters set to these."""
        made = self.weights.copy()
        for part, values in zip(self.slices, parameters, strict=False):
            made[part.start : part.stop] = values.ravel()
        return made


class Server(Component):
    """How a server makes the model that the clients under attack begin a round with."""

    reader: ClassVar[str] = ""
    """Attacker that reads the uploads of its model; "" for a server that keeps to the protocol."""
    sends: ClassVar[str] = "the global model that the client started from"
    """The model that a client starts from, as a noun phrase."""
    sizes: ClassVar[tuple[float, ...]] = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
    """Sizes of the second layer that are tried, each on public images."""
    silences: ClassVar[bool] = False
    """Whether the other clients of a sum are sent a model that they cannot train."""

    within: Annotated[float | None, Number(NORM, optional=True)] = Field(
        None, description="size up to which clients accept a weight of the model, and refuse it beyond"
    )

    def problem(self, run: Lied) -> str:
        """Why a run's clients cannot be lied to, as the end of a sentence; "" if they can."""
        if not self.reader:
            return "" if self.within is None else "it sends nothing made that clients would refuse"
        if run.system:
            return f"clients of {run.system} start from a model that is partly their own"
        if run.target == "class_means":
            return "for class means no model is sent"
        if self.silences and not run.summed:
            return "it takes other clients out of a secure sum, and here each upload is seen by itself"
        return no_hidden_layer(run.model, run.shape, run.classes)

    def crafted(self, task: Task, size: float) -> NDArray[np.float32]:
        """Model (d,) for the clients under attack; `size`: of the second layer's weights, and so of steps."""
        weight, bias = self.first_layer(task)
        scale = self.room(task) / max(np.abs(weight).max(), np.abs(bias).max())
        # each image moves every unit that it activates by the same step, of a size that its class decides
        second = size * task.generator.standard_normal(task.slices[3].shape)
        second *= min(1.0, (self.within or np.inf) / np.abs(second).max())
        rows = np.repeat(second[:, None], task.units, axis=1)
        return task.filled(scale * weight, scale * bias, rows, np.zeros_like(second))

    def room(self, task: Task) -> float:
        """Size of the first layer's largest weight."""
        return min(task.room, self.within or np.inf)

    def first_layer(self, task: Task) -> tuple[Floats, Floats]:
        """Weights (units, features) and biases (units,) that single images out, up to a common factor."""
        raise NotImplementedError
