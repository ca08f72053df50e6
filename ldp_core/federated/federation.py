"""A federation ready to train: data on the device, shards dealt, budgets resolved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core import limits
from ldp_core.datasets import Data
from ldp_core.engines.base import Engine, choose
from ldp_core.engines.process_pool import Samples
from ldp_core.engines.recipe import Recipe
from ldp_core.experiment import Experiment, Population
from ldp_core.mechanisms.base import Floats
from ldp_core.partitions.base import Indices
from ldp_core.streams import stream


@dataclass(frozen=True)
class Federation:
    """Everything that stays the same from round to round."""

    experiment: Experiment
    train_x: torch.Tensor
    train_y: torch.Tensor
    test_x: torch.Tensor
    test_y: torch.Tensor
    classes: int
    shards: list[Indices]
    population: Population
    strict: np.ndarray
    """(K,) bool: the clients whose budget is small beside the others'; see `_strict`."""
    engine: Engine
    tick: Callable[[float], None] | None = None
    """Is told, within a round, the share of its training that is done."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one sample."""
        return tuple(self.train_x.shape[1:])

    @property
    def device(self) -> torch.device:
        """Where training runs."""
        return self.train_x.device

    @property
    def samples(self) -> Samples:
        """What an engine reads."""
        return self.train_x, self.train_y, self.test_x

    @property
    def recipe(self) -> Recipe:
        """How every client trains."""
        local = self.experiment.local
        return Recipe(self.experiment.model, self.shape, self.classes, local.optimizer, local.learning_rate)

    @property
    def chunk(self) -> int:
        """How many clients are trained at a time, so that their matrix fits in memory."""
        return max(1, limits.CHUNK_BYTES // (4 * self.experiment.dimension))

    @property
    def hull(self) -> tuple[float, float]:
        """The smallest interval that holds every client's safe range."""
        return float(self.population.low.min()), float(self.population.high.max())


def assemble(
    experiment: Experiment,
    data: Data,
    device: torch.device,
    tick: Callable[[float], None] | None = None,
) -> Federation:
    """Deal the data and resolve every client's budget and range.

    Raises:
        InvalidInput: a partition that cannot give every client a sample.
    """
    population = experiment.population()
    shards = experiment.partition.split(
        data.train_y, experiment.clients.count, stream(experiment.seed, "partition")
    )
    return Federation(
        experiment=experiment,
        train_x=torch.from_numpy(data.train_x).to(device),
        train_y=torch.from_numpy(data.train_y).to(device),
        test_x=torch.from_numpy(data.test_x).to(device),
        test_y=torch.from_numpy(data.test_y).to(device),
        classes=data.classes,
        shards=shards,
        population=population,
        strict=_strict(population.epsilon),
        engine=choose(experiment.model.batched, device),
        tick=tick,
    )


def _strict(epsilon: Floats) -> NDArray[np.bool_]:
    """(K,): who asks for at most the median budget; for less than it, where that is the largest of all."""
    middle = np.median(epsilon)
    most_ask_for_most = epsilon.min() < middle == epsilon.max()
    found: NDArray[np.bool_] = epsilon < middle if most_ask_for_most else epsilon <= middle
    return found


def initial_weights(federation: Federation) -> torch.Tensor:
    """The untrained global model (d,), the same for every run with the same seed."""
    experiment = federation.experiment
    generator = stream(experiment.seed, "initial model")
    weights = experiment.model.initial(federation.shape, federation.classes, generator)
    return torch.from_numpy(weights).to(federation.device)


def choose_device() -> torch.device:
    """A GPU where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
