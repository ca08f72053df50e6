"""Training settings of a client, independent of the engine."""

from dataclasses import dataclass

from ldp_core.models.base import Model, Shape
from ldp_core.optimizers import Optimizer


@dataclass(frozen=True)
class Recipe:
    model: Model
    shape: Shape
    """Shape of one sample."""
    classes: int
    optimizer: Optimizer
    learning_rate: float
