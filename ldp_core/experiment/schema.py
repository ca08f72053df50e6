"""The experiment: all settings of a run in one frozen object.

Reads and writes plain JSON. Every field has a default, so `{}` is the default demonstration; unknown keys are
refused; every limit is in `ldp_core.limits`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, wraps
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, model_validator
from pydantic_core import InitErrorDetails, ValidationError

from ldp_core import (
    aggregators,
    datasets,
    limits,
    mechanisms,
    models,
    partitions,
    selections,
    systems,
)
from ldp_core.component import Part
from ldp_core.datasets.base import Labels
from ldp_core.errors import DataUnavailable, printable, shown
from ldp_core.experiment.attack import Attack, attack_as_json, check_attack
from ldp_core.experiment.clients import Clients
from ldp_core.experiment.conflicts import conflicts
from ldp_core.experiment.filling import filled
from ldp_core.experiment.local import Local
from ldp_core.features import Features
from ldp_core.features import registry as all_features
from ldp_core.fields import Checked, Choice, Whole, refused
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise
from ldp_core.streams import stream
from ldp_core.trust import Trust
from ldp_core.trust import registry as all_trusts

if TYPE_CHECKING:
    from ldp_core.composition.spending import Spending

T = TypeVar("T")
TARGETS = {
    "weights": "the trained weights themselves",
    "update": "what training changed: the trained weights minus the server's",
    "class_means": "no weights: once, the image's features in the block of its label, for the class means",
}
PER = {"coordinate": "per weight", "layer": "per layer", "upload": "per upload", "run": "for the whole run"}
"""What an ε covers in words, by scope."""
UNITS = {
    "client": "everything that one client sends",
    "record": "each record that a client holds",
}
"""Whose secret ε covers, in words."""
FEW_ROUNDS = 5
"""Number of rounds up to which training does not recover from a random start."""
LATER: dict[str, Any] = {"features": "none", "trust": {"kind": "local"}, "unit": "client"}
"""Fields that the key ignores at this default, so that older stored experiments keep their keys."""
UNSAID = ("trust", "unit")
"""Those of these fields that JSON omits at their defaults."""
ROUNDING = 1 + 1e-9
"""Factor on what a record moves, beyond all rounding in double precision."""


@dataclass(frozen=True)
class Population:
    """Each client's ε in the mechanism's scope, and its safe range; all of shape (count,)."""

    epsilon: Floats
    low: Floats
    high: Floats

    @property
    def strict(self) -> NDArray[np.bool_]:
        """Mask (count,) of clients with ε at most the median, or below the median if that is the maximum."""
        middle, most = np.median(self.epsilon), self.epsilon.max()
        most_ask_for_most = self.epsilon.min() < middle == most
        return self.epsilon < middle if most_ask_for_most else self.epsilon <= middle

    def columns(self, clients: Any) -> tuple[Floats, Floats, Floats]:
        """ε, low and high of some clients as columns (k, 1), to broadcast with values (k, d)."""
        return self.epsilon[clients, None], self.low[clients, None], self.high[clients, None]


@dataclass(frozen=True)
class Piece:
    """A slice of the upload, and the mechanism that perturbs it, fitted to its size."""

    columns: slice
    mechanism: mechanisms.Mechanism

    @property
    def size(self) -> int:
        return int(self.columns.stop - self.columns.start)


def _check_name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > limits.NAME_LENGTH or not printable(value):
        raise refused(f"must be a text of at most {limits.NAME_LENGTH} characters; got {shown(value)}")
    return value


def _check_dataset(value: Any) -> str:
    try:
        return str(Part(datasets.registry, "name").check(value).name)
    except DataUnavailable as error:
        raise refused(f"cannot be used: {error}") from None


class Experiment(BaseModel):
    """A federated run: data, clients, training, mechanism, aggregation, attack and seed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Checked(_check_name)] = ""
    dataset: Annotated[str, Checked(_check_dataset)] = "digits"
    partition: Annotated[partitions.Partition, Part(partitions.registry, "kind")] = partitions.get("iid")
    features: Annotated[Features, Part(all_features, "name", short=True)] = all_features.get("none")
    clients: Clients = Clients()
    model: Annotated[models.Model, Part(models.registry, "name", short=True)] = models.get(
        "logistic_regression"
    )
    local: Local = Local()
    target: Annotated[str, Choice(tuple(TARGETS))] = Field(
        "weights", description="what is clipped and perturbed"
    )
    mechanism: Annotated[mechanisms.Mechanism, Part(mechanisms.registry, "name")] = mechanisms.get(
        "piecewise"
    )
    selection: Annotated[selections.Selection, Part(selections.registry, "kind")] = selections.get("all")
    aggregator: Annotated[aggregators.Aggregator, Part(aggregators.registry, "name")] = aggregators.get(
        "mean"
    )
    system: Annotated[systems.System | None, Part(systems.registry, "name", optional=True)] = None
    trust: Annotated[Trust, Part(all_trusts, "kind")] = all_trusts.get("local")
    unit: Annotated[str, Choice(tuple(UNITS))] = Field("client", description="whose secret ε covers")
    rounds: Annotated[int, Whole(limits.ROUNDS)] = int(limits.ROUNDS.default)
    seed: Annotated[int, Whole(limits.SEED)] = int(limits.SEED.default)
    form: Annotated[mechanisms.Form, Choice(("corrected", "as_printed"))] = "corrected"
    attack: Annotated[Attack | None, Checked(check_attack), PlainSerializer(attack_as_json)] = Attack()

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, data: Any) -> Any:
        return filled(data)

    @model_validator(mode="after")
    def _fits_together(self) -> Experiment:
        wrong = ((refused(one.message), tuple(one.path.split("."))) for one in conflicts(self))
        if details := [InitErrorDetails(type=type, loc=path, input=None) for type, path in wrong]:
            raise ValidationError.from_exception_data("Experiment", details)
        return self

    @property
    def source(self) -> datasets.Dataset:
        """Data set as training sees it, after feature extraction: shape, classes, number of samples."""
        found = datasets.get(self.dataset)
        return self.features.seen(found) if found.images else found

    @property
    def covers(self) -> str:
        """What a client's ε covers, such as “per weight”."""
        scope = self.clients.epsilon_scope
        words = PER[self.randomiser.scope if scope == "mechanism" else scope]
        if self.unit == "client":
            return words
        return "for one row's whole run" if scope == "run" else f"{words}, of one row"

    def split(self, labels: Labels) -> list[Labels]:
        """The places of each client's samples among those with these labels. Raises InvalidInput: the
        partition cannot give every client a sample.
        """
        generator = stream(self.seed, "partition")
        return self.partition.among(self.source.owners, labels, self.clients.count, generator)

    @cached_property
    def randomiser(self) -> mechanisms.Mechanism:
        """The mechanism in the experiment's form, fitted to a whole upload of the first round."""
        return self.formed.fitted(self.use())

    def pieces(self, round: int = 1) -> tuple[Piece, ...]:
        """Slices of an upload that are perturbed separately: one, or one per layer for such a mechanism."""
        formed = self.formed
        parts = self._layers if formed.scope == "layer" else (self._whole,)
        return tuple(Piece(part, formed.fitted(self._use(part, round))) for part in parts)

    @cached_property
    def formed(self) -> mechanisms.Mechanism:
        """The mechanism in the experiment's form, for whole uploads if budgets are per upload or run."""
        formed = self.mechanism.formed(self.form)
        if self.shortening and isinstance(formed, GaussianNoise):
            return self.trust.made(formed.of_records(self.reach, self.source.train_size), self)
        if self.system:
            formed = self.system.made(formed, self.form)
        formed = formed if self.clients.epsilon_scope == "mechanism" else formed.for_uploads()
        return self.trust.made(formed, self)

    @property
    def records(self) -> float:
        """Number of training samples of an average client, which is public."""
        return self.partition.held(self.source.train_size, self.clients.count)

    @property
    def shortening(self) -> models.Shortening | None:
        """Bound on each sample's gradient where ε is a record's; None where it is a client's."""
        return models.Shortening(self.local.clip, self.records) if self.local.clip else None

    @property
    def reach(self) -> float:
        """Half the largest distance of two uploads that differ in one record; 0 where ε is a client's."""
        by = self.shortening
        return self.local.learning_rate * by.length / by.count * ROUNDING if by else 0.0

    @property
    def correction(self) -> str:
        """What the corrected form corrects here, in one or two sentences; "" if both forms agree."""
        own = [self.system.corrects(self)] if self.system else []
        own += [self.mechanism.corrected] if self.randomiser.printed_otherwise else []
        return " ".join(filter(None, own))

    @property
    def uses_per_upload(self) -> int:
        """Number of times that an upload spends the mechanism's ε: d, the number of layers, or 1."""
        return self.released().uses

    def released(self, round: int = 1) -> systems.Release:
        pieces, sent = self.pieces(round), self.tells
        first = pieces[0].mechanism
        each = {"coordinate": math.ceil(sent.perturbed - 1e-9), "layer": len(pieces), "upload": 1}
        return systems.Release(first, each[first.scope], sent)

    @cached_property
    def releases(self) -> tuple[tuple[int, systems.Release], ...]:
        """Releases of the run with the number of rounds of each, in order; equal ones are merged."""
        first = self.released(1)
        if self.rounds == 1 or first == self.released(2):
            return ((self.rounds, first),)
        return tuple((1, self.released(number)) for number in range(1, self.rounds + 1))

    def use(self) -> mechanisms.Use:
        """Use of the mechanism in round 1: the whole upload, or its first layer."""
        return self._use(self._layers[0] if self.mechanism.scope == "layer" else self._whole, 1)

    def _use(self, part: slice, round: int) -> mechanisms.Use:
        labels = self.source.classes if self.target == "class_means" else 1
        return mechanisms.Use(int(part.stop - part.start), self.rounds, round, self.records, labels)

    @property
    def _whole(self) -> slice:
        return slice(0, self.uploaded)

    @cached_property
    def _layers(self) -> tuple[slice, ...]:
        sent = self.sent
        if self.target == "class_means":
            return (self._whole,)
        return tuple(
            slice(layer.start - sent.start, layer.stop - sent.start)
            for layer in self.layers
            if sent.start <= layer.start and layer.stop <= sent.stop
        )

    @cached_property
    def network(self) -> models.Model:
        """The network that a client trains: the model, possibly extended by the system. A linear model
        without a chosen start begins at zero where budgets cover a person's whole run: few changes are
        affordable then, too few to undo a random start.
        """
        if self.system:
            return self.system.extends(self.model)
        begin = getattr(self.model, "begin", None)
        if begin is None:
            return self.model
        a_persons = self.clients.epsilon_scope == "run" or self.selection.name == "once"
        few = self.rounds <= FEW_ROUNDS and self.target != "weights"
        zero = begin == "zero" or (begin == "open" and a_persons and few)
        return self.model.model_copy(update={"begin": "zero" if zero else "open"})

    @cached_property
    def layers(self) -> tuple[slice, ...]:
        source = self.source
        return self.network.layers(source.shape, source.classes)

    @cached_property
    def sent(self) -> slice:
        """Slice of the network's weight vector that clients upload: all of it, unless a system keeps some
        weights local, or clients send class means, from which the server derives the biases.
        """
        if self.target == "class_means":
            return slice(0, self.source.classes * self.source.features)
        return self.system.sends(self.layers) if self.system else slice(0, self.dimension)

    @property
    def uploaded(self) -> int:
        return int(self.sent.stop - self.sent.start)

    @cached_property
    def tells(self) -> systems.Sent:
        """Numbers of perturbed and of clear weights in an upload."""
        return self.system.tells(self.uploaded, self.form) if self.system else systems.Sent(self.uploaded)

    @cached_property
    def dimension(self) -> int:
        """Number of weights of the network, d."""
        source = self.source
        return self.network.dimension(source.shape, source.classes)

    def population(self) -> Population:
        """Every client's ε in the mechanism's own scope, and its safe range. A budget per upload is divided
        evenly over the uses, unless the mechanism spends it at once. For a budget per run, ε of a use is the
        largest whose worst-case composition stays within it.
        """
        low, high = self.clients.bounds()
        epsilon = self.per_use(self.clients.budgets(), low, high)
        return Population(epsilon, *self.trust.ranges(self, low, high))

    def per_use(self, asked: Floats, low: Floats, high: Floats) -> Floats:
        """ε of one use of the mechanism for given budgets, with safe ranges of the same shape."""
        if not self.trust.own_noise and (
            self.clients.epsilon_scope != "run" or self.mechanism.role == "identity"
        ):
            return asked / self.shares
        return self.trust.per_use(self, asked, low, high)

    @property
    def most_uploads(self) -> int:
        """Largest number of uploads of a client in the run, ignoring its own ε limit."""
        return self.selection.most_uploads(self.clients.count, self.rounds)

    @property
    def shares(self) -> int:
        """Number of uses of the mechanism over which a client's ε is divided."""
        return self.uses_per_upload if self.clients.epsilon_scope == "upload" else 1

    def as_json(self) -> dict[str, Any]:
        """All fields as JSON values, the inverse of `parse`."""
        data = self.model_dump(mode="json")
        return {name: value for name, value in data.items() if name not in UNSAID or value != LATER[name]}

    @property
    def attacked(self) -> Experiment:
        """Copy of the experiment with the uploads that an attacker can observe under its trust."""
        seen = self.trust.attacked()
        return self if seen is self.trust else self._with("trust", seen)

    def seeded(self, seed: int) -> Experiment:
        """Copy of the experiment with another seed, not validated anew: no field depends on the seed."""
        return self if seed == self.seed else self._with("seed", seed)

    def _with(self, field: str, value: Any) -> Experiment:
        found = self.model_copy(update={field: value})
        for cached in found.__dict__.keys() - type(self).model_fields.keys():
            del found.__dict__[cached]
        return found

    @cached_property
    def prices(self) -> Spending:
        """Rules that give the ε of a client's uploads, as the experiment's trust has them."""
        return self.trust.prices(self)

    @cached_property
    def key(self) -> str:
        """Twelve hex digits, equal for two experiments if and only if their runs are the same. The name does
        not count; the version of changeable data does. Attacks count in resolved form.
        """
        from ldp_core.experiment.threat_model import resolved  # which stands on this

        version = self.source.version
        parts = resolved(self).as_json() | {"name": ""} | ({"data": version} if version else {})
        if self.system is None:
            parts["model"] = Part(models.registry, "name", short=True).serialise(self.network)
        parts = {name: value for name, value in parts.items() if LATER.get(name, ...) != value}
        if self.clients.epsilon_scope != "mechanism":
            parts["mechanism"] = Part(mechanisms.registry, "name").serialise(self.mechanism.for_uploads())
        text = json.dumps(parts, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def kept(most: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """`lru_cache` for functions of an experiment, whose data may change: by the data's version as well."""

    def made(function: Callable[..., T]) -> Callable[..., T]:
        found = lru_cache(most)(lambda version, *of: function(*of))
        return wraps(function)(lambda experiment, *of: found(experiment.source.version, experiment, *of))

    return made
