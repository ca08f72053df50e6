"""A federation ready to train: data on the device, samples assigned to clients, budgets resolved."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core import datasets, systems
from ldp_core.datasets import Data
from ldp_core.engines.base import Engine, choose
from ldp_core.engines.batched import Samples
from ldp_core.engines.choice import choice_for, needs_torch
from ldp_core.engines.plan import Recipe
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment, Plan, Population
from ldp_core.features import Features
from ldp_core.federated.deal import Deal, deal
from ldp_core.federated.state import State
from ldp_core.federated.upload import Laws
from ldp_core.mechanisms.base import Floats
from ldp_core.partitions.base import Indices
from ldp_core.streams import stream
from ldp_core.theory.clients import worst_variance

PLACED = 4
_placed: dict[tuple[int, Features, str, float, float], tuple[Data, tuple[torch.Tensor, ...]]] = {}
"""Cached tensors, with the data, so that the data's id is not reused."""


class PrivacyFilter:
    """Which clients may upload once more within their ε limit, by uploads so far, (K,), and their cost."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._limits, self._most = (
            plan,
            plan.experiment.clients.run_limits(),
            plan.turns.affordable,
        )

    def can_afford(self, uploads: NDArray[np.int64]) -> NDArray[np.bool_]:
        return uploads < self._most

    def stopped(self, uploads: NDArray[np.int64]) -> int:
        return int(((uploads >= self._most) & (self._most < self._plan.experiment.rounds)).sum())

    def spent(self, uploads: NDArray[np.int64], clients: NDArray[np.int64]) -> dict[str, dict[str, Any]]:
        """By client: uploads so far, ε spent, and ε left of its limit."""
        found = {}
        for i in clients.tolist():
            line = self._plan.prices.uploads(self._plan.population.of(i), int(uploads[i]))
            limit = float(self._limits[i])
            left = max(0.0, limit - line.bound) if line.guarantee and limit < np.inf else None
            cost = {"epsilon": line.epsilon, "delta": line.delta}
            found[str(i)] = {"uploads": int(uploads[i]), **cost, "left": left}
        return found


class Weighing:
    """What decides the clients' weights in the aggregate, cached where it is the same in every round."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._worst: tuple[int, Floats] | None = None
        self._shares: tuple[int, bytes, Floats] | None = None

    def worst(self, number: int) -> Floats:
        """Each client's worst-case noise variance in round `number`, (K,)."""
        kind = self._kind(number)
        if self._worst is None or self._worst[0] != kind:  # rounds come in order
            self._worst = kind, worst_variance(self._plan, kind)
        return self._worst[1]

    def shares(self, number: int, chosen: NDArray[np.int64], make: Callable[[], Floats]) -> Floats:
        """Cached result of `make`, which depends on the variances of round `number` and `chosen` alone."""
        key = self._kind(number), chosen.tobytes()
        if self._shares is None or self._shares[:2] != key:
            self._shares = *key, make()
        return self._shares[2]

    def _kind(self, number: int) -> int:
        return number if self._plan.terms.changes else 1


@dataclass(frozen=True)
class Federation:
    """Everything that is constant over the rounds of a run."""

    plan: Plan
    train_x: torch.Tensor
    train_y: torch.Tensor
    test_x: torch.Tensor
    test_y: torch.Tensor
    classes: int
    deal: Deal
    engine: Engine
    recipe: Recipe
    tick: Callable[[float], None] | None = None
    """Receives the trained share of the current round, in [0, 1]."""

    @property
    def experiment(self) -> Experiment:
        return self.plan.experiment

    @property
    def population(self) -> Population:
        return self.plan.population

    @property
    def shards(self) -> list[Indices]:
        return self.deal.shards

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.train_x.shape[1:])

    @property
    def device(self) -> torch.device:
        return self.train_x.device

    @property
    def samples(self) -> Samples:
        return self.train_x, self.train_y, self.test_x

    @property
    def white(self) -> float:
        """Factor by which pixels in [0, 1] are multiplied for training, less `middle`."""
        return white(self.plan)

    @property
    def middle(self) -> float:
        return middle(self.plan)

    def pictures(self, samples: torch.Tensor) -> np.ndarray:
        """Samples as images with pixels in [0, 1], on the host."""
        found = (samples if self.white == 1 else samples / self.white).cpu().numpy()
        return found + np.float32(self.middle) if self.middle else found

    def samples_of(self, pictures: np.ndarray) -> torch.Tensor:
        """Images with pixels in [0, 1] as training samples on the device."""
        samples = torch.from_numpy(pictures).to(self.train_x)
        return (samples - self.middle if self.middle else samples) * self.white

    @cached_property
    def weighing(self) -> Weighing:
        return Weighing(self.plan)

    @cached_property
    def laws(self) -> Laws:
        return Laws()

    @cached_property
    def budgets(self) -> PrivacyFilter:
        return PrivacyFilter(self.plan)

    @cached_property
    def groups(self) -> dict[str, NDArray[np.bool_]]:
        """Masks (K,) of the clients with ε at most the median ("strict") and of the others ("permissive")."""
        return {"strict": self.population.strict, "permissive": ~self.population.strict}

    @cached_property
    def group_mixes(self) -> dict[str, Floats]:
        """Share of each class among each group's samples; all zero for an empty group."""
        return {name: self.deal.mix(members, self.classes) for name, members in self.groups.items()}

    @cached_property
    def test_labels(self) -> Indices:
        return self.test_y.cpu().numpy()

    @cached_property
    def test_counts(self) -> Indices:
        """Number of held-out samples per class, (classes,)."""
        return np.bincount(self.test_labels, minlength=self.classes)

    def placed(self, weights: NDArray[np.float32]) -> torch.Tensor:
        """Weights (d,) or (k, d) on the device; on a CPU without a copy."""
        return torch.from_numpy(weights).to(self.device)

    @cached_property
    def hull(self) -> tuple[float, float]:
        """Smallest interval that contains every client's safe range."""
        return float(self.population.low.min()), float(self.population.high.max())


def on_device(
    data: Data, features: Features, device: torch.device, scale: float, middle: float = 0.0
) -> tuple[torch.Tensor, ...]:
    """Features and labels on the device, training then test, features less `middle` and times `scale`; cached
    over runs.
    """
    key = (id(data), features, str(device), scale, middle)
    if key not in _placed:
        made = features.of_data(data)
        samples = made.train_x, made.test_x
        if middle:
            samples = made.train_x - np.float32(middle), made.test_x - np.float32(middle)
        train_x, test_x = samples if scale == 1 else (x * np.float32(scale) for x in samples)
        arrays = train_x, data.train_y, test_x, data.test_y
        while len(_placed) >= PLACED:
            _placed.pop(next(iter(_placed)))
        _placed[key] = data, tuple(torch.from_numpy(array).to(device) for array in arrays)
    return _placed[key][1]


def assemble(
    plan: Plan, data: Data, device: torch.device, tick: Callable[[float], None] | None = None, began: str = ""
) -> Federation:
    """Federation of an experiment on a data set; InvalidInput if the partition leaves a client without a
    sample.

    Args:
        tick: receives the trained share of the current round, in [0, 1].
        began: engine of a resumed run; "" for a new one.
    """
    experiment, dealt = plan.experiment, deal(plan, data.train_y, data.owned)
    if experiment.unit == "record" and dealt.sizes.max() > experiment.local.batch_size:
        raise InvalidInput(
            f"one batch must hold all that a client has where ε is a record's, and one has "
            f"{dealt.sizes.max()} samples; got local.batch_size {experiment.local.batch_size}"
        )
    scale = white(plan), middle(plan)
    train_x, train_y, test_x, test_y = on_device(data, experiment.features, device, *scale)
    local, shape = experiment.local, tuple(train_x.shape[1:])
    own = local.optimizer, local.learning_rate, plan.record_clipping, needs_torch(plan)
    recipe = Recipe(plan.network, shape, data.classes, *own)
    engine = choose(experiment.model.batched, device, recipe, began)
    return Federation(plan, train_x, train_y, test_x, test_y, data.classes, dealt, engine, recipe, tick)


def white(plan: Plan) -> float:
    if middle(plan):
        return 2.0  # from -1 to 1
    system = plan.experiment.system
    return system.scale(plan.experiment.dataset) if system else 1.0


def middle(plan: Plan) -> float:
    """Feature value that becomes 0 in training: for a record's ε the middle of a table's scales, since a
    direction that all gradients share would use up their length.
    """
    table = not datasets.get(plan.experiment.dataset).images
    return 0.5 if plan.experiment.unit == "record" and table else 0.0


def initial_weights(federation: Federation) -> torch.Tensor:
    """Untrained global model (d,), the same for all runs with the same seed."""
    experiment, plan = federation.experiment, federation.plan
    generator = stream(experiment.seed, "initial model")
    weights = plan.network.initial(federation.shape, federation.classes, generator)
    weights = experiment.system.initial(weights) if experiment.system else weights
    return torch.from_numpy(weights).to(federation.device)


def taking_part(
    federation: Federation, arrays: Mapping[str, NDArray[Any]] | None = None
) -> systems.Participation:
    """The system's part in a run, new or restored from a state's `arrays`."""
    system, public = federation.experiment.system, federation.plan.public
    own = {name: array.copy() for name, array in (arrays or {}).items()}
    return system.joins(public, own) if system else systems.Participation(public, own)


def untrained(federation: Federation) -> State:
    weights = initial_weights(federation).cpu().numpy()
    uploads = np.zeros(federation.experiment.clients.count, dtype=np.int64)
    return State(0, weights, uploads, taking_part(federation).arrays, federation.engine.kind)


def device_for(plan: Plan, began: str = "") -> torch.device:
    """The CPU where its kernel trains the experiment, else a GPU if there is one.

    Args:
        began: engine of a resumed run; "" for a new one.
    """
    return torch.device("cpu") if choice_for(plan, began).kind == "fused" else choose_device()


def choose_device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
