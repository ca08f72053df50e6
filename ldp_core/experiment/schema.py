"""The experiment: what is asked for, all settings of a run in one frozen object.

Reads and writes plain JSON. Every field has a default, so `{}` is the default demonstration; unknown keys are
refused; every limit is in `ldp_core.limits`. What follows from the fields together is its plan (`planning`).
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, model_serializer, model_validator

from ldp_core import (
    aggregators,
    datasets,
    limits,
    mechanisms,
    models,
    optimizers,
    partitions,
    selections,
    systems,
)
from ldp_core.component import Part
from ldp_core.errors import DataUnavailable, printable, shown
from ldp_core.experiment.attack import Attack, attack_as_json, check_attack
from ldp_core.experiment.clients import Clients
from ldp_core.experiment.filling import filled
from ldp_core.features import Features
from ldp_core.features import registry as all_features
from ldp_core.fields import Checked, Choice, Number, Whole, refused
from ldp_core.trust import Trust
from ldp_core.trust import registry as all_trusts

TARGETS = {
    "weights": "the trained weights themselves",
    "update": "what training changed: the trained weights minus the server's",
    "class_means": "no weights: once, the image's features in the block of its label, for the class means",
}
PER = {"coordinate": "per weight", "layer": "per layer", "upload": "per upload", "run": "for the whole run"}
"""What an ε covers in words, by scope."""
UNITS = {"client": "everything that one client sends", "record": "each record that a client holds"}
"""Whose secret ε covers, in words."""
LATER: dict[str, Any] = {"features": "none", "trust": {"kind": "local"}, "unit": "client"}
"""Fields that the key ignores at this default, so that older stored experiments keep their keys."""
UNSAID = ("trust", "unit")
"""Those of these fields that JSON omits at their defaults."""


def _check_name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > limits.NAME_LENGTH or not printable(value):
        raise refused(f"must be a text of at most {limits.NAME_LENGTH} characters; got {shown(value)}")
    return value


def _check_dataset(value: Any) -> str:
    try:
        return str(Part(datasets.registry, "name").check(value).name)
    except DataUnavailable as error:
        raise refused(f"cannot be used: {error}") from None


class LocalTraining(BaseModel):
    """Settings of the local training of a client in a round."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    optimizer: Annotated[optimizers.Optimizer, Part(optimizers.registry, "name", short=True)] = (
        optimizers.get("sgd")
    )
    epochs: Annotated[int, Whole(limits.EPOCHS)] = int(limits.EPOCHS.default)
    batch_size: Annotated[int, Whole(limits.BATCH_SIZE)] = int(limits.BATCH_SIZE.default)
    learning_rate: Annotated[float, Number(limits.LEARNING_RATE)] = limits.LEARNING_RATE.default
    clip: Annotated[float | None, Number(limits.NORM, optional=True)] = Field(
        None, description="length that the gradient of each record is shortened to, where ε is a record's"
    )

    @model_serializer(mode="wrap")
    def _unsaid(self, handler: Any) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if name != "clip" or value is not None}


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
    local: LocalTraining = LocalTraining()
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

    def as_json(self) -> dict[str, Any]:
        """All fields as JSON values, the inverse of `parse`."""
        data = self.model_dump(mode="json")
        return {name: value for name, value in data.items() if name not in UNSAID or value != LATER[name]}

    def seeded(self, seed: int) -> Experiment:
        """Copy of the experiment with another seed, not validated anew: no field depends on the seed."""
        return self if seed == self.seed else self.model_copy(update={"seed": seed})
