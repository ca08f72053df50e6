"""Arms of a claim: named measurements, one per seed, by training or without."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

from ldp_core import datasets, mechanisms
from ldp_core.behaviour import version
from ldp_core.cost.seconds import Work, work_of
from ldp_core.cost.traffic import against_share, traffic
from ldp_core.datasets import data_dir
from ldp_core.experiment import EPSILON_MODES, RANGE_MODES, Experiment, changed, parse
from ldp_core.limits import SEEDS
from ldp_core.theory.relative_error import relative_errors


@dataclass(frozen=True)
class Arm(ABC):
    """A measurement with a label."""

    label: str

    @property
    @abstractmethod
    def setting(self) -> dict[str, Any]:
        """JSON stored beside each figure."""

    def key(self, seed: int) -> str:
        """Key of the figure for a seed, twelve hex digits of the arm's settings.

        `Experiment.key` would cover every field, so that a new field would invalidate all stored figures;
        changed defaults are noticed by the stored `version`.
        """
        return hashlib.sha256(f"[{self._words}, {seed}]".encode()).hexdigest()[:12]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Keys of all possible seeds, from 0."""
        return tuple(self.key(seed) for seed in range(int(SEEDS.maximum)))

    @cached_property
    def _words(self) -> str:
        return json.dumps(self.setting, sort_keys=True)

    @property
    @abstractmethod
    def tried(self) -> Experiment:
        """An experiment that uses all parts (mechanism, aggregator, …) of the arm."""

    @cached_property
    def version(self) -> str:
        """Version of the program for the parts that the arm uses."""
        return version(self.tried)

    @abstractmethod
    def work(self) -> Work:
        """Work of one measurement, for estimates of time."""

    def under(self, settings: Mapping[str, Any]) -> Arm:
        """Copy of the arm with some settings replaced."""
        return self

    @property
    def missing(self) -> str:
        """Data that the arm needs and this machine lacks, in words; "" if it can be measured."""
        return ""


@dataclass(frozen=True)
class Trained(Arm):
    """An arm that trains; its figure is the accuracy after the last round."""

    base: Mapping[str, Any]
    set: Mapping[str, Any]
    """Field values by dotted name, as in a draft's variant."""
    about: str = ""
    """Quantity that the arm is judged by if not the claim's; another arm then holds the run."""

    def experiment(self, seed: int = 0) -> Experiment:
        """Experiment with a seed; without attacks unless the arm sets one, as attacks change no weight."""
        return changed(parse({**self.base, "attack": None}), {**self.set, "seed": seed})

    def under(self, settings: Mapping[str, Any]) -> Trained:
        return replace(self, set={**self.set, **settings})

    @property
    def tried(self) -> Experiment:
        return self.experiment()

    @property
    def setting(self) -> dict[str, Any]:
        return {"base": dict(self.base), "set": dict(self.set)}

    def work(self) -> Work:
        return work_of(self.experiment())

    @property
    def missing(self) -> str:
        name = str(self.base.get("dataset", "digits"))
        source = datasets.get(name)
        if source.there(data_dir()):
            return ""
        ways = [f"python -m ldp_core data {name} brings it here", *filter(None, [source.also_from])]
        return f"{source.label}; {', and '.join(ways)}"


@dataclass(frozen=True)
class Leaking(Trained):
    """An arm that trains, and measures identification of images from its uploads in every round."""

    images: int = field(default=1, kw_only=True)
    """Number of attacked images of each client in each round."""

    @property
    def setting(self) -> dict[str, Any]:
        return {"leaking": {"base": dict(self.base), "set": dict(self.set), "images": self.images}}


@dataclass(frozen=True)
class Timed(Trained):
    """An arm that trains by itself, and measures the CPU time of its rounds."""

    @property
    def setting(self) -> dict[str, Any]:
        return {"timed": {"base": dict(self.base), "set": dict(self.set)}}


class Computed(Arm):
    unit: ClassVar[str]
    """Axis title of the arm's figure."""

    @abstractmethod
    def measure(self, seed: int) -> float:
        """Figure of the arm, as a share in [0, 1]."""


@dataclass(frozen=True)
class Counted(Computed):
    """Arm: traffic of a round, counted; exact with each seed."""

    base: Mapping[str, Any]

    @property
    def tried(self) -> Experiment:
        return parse({**self.base, "attack": None})

    def work(self) -> Work:
        return Work(values=1)


@dataclass(frozen=True)
class Sent(Counted):
    """Traffic of a round with a share of the clients, relative to all of them."""

    share: float

    unit = "of what all clients send, %"

    @property
    def setting(self) -> dict[str, Any]:
        return {"sent": {"base": dict(self.base), "share": self.share}}

    def measure(self, seed: int) -> float:
        some, every = against_share(self.tried, [self.share, 1.0])
        return some.up / every.up


@dataclass(frozen=True)
class Packed(Counted):
    """Traffic of a round in as few bits as possible, relative to float32."""

    set: Mapping[str, Any]

    unit = "of the bits without a mechanism, %"

    @property
    def tried(self) -> Experiment:
        return changed(super().tried, dict(self.set))

    @property
    def setting(self) -> dict[str, Any]:
        return {"packed": {"base": dict(self.base), "set": dict(self.set)}}

    def measure(self, seed: int) -> float:
        asked = self.tried
        here, plain = traffic(asked), traffic(changed(asked, {"mechanism.name": "none", "form": "corrected"}))
        return here.packed / plain.packed


@dataclass(frozen=True)
class Records(Computed):
    """Paper 000's synthetic records: relative error of the estimated mean, averaged over repetitions; uniform
    in [centre − L/2, centre + L/2] for a client with range length L, or in [0, L] if `centre` is None.
    """

    mechanism: str
    epsilon: str
    """Name of the mode of budgets."""
    range: str
    centre: float | None = None
    form: str = "as_printed"
    clients: int = 70
    repeats: int = 20

    unit = "relative error, %"

    def under(self, settings: Mapping[str, Any]) -> Records:
        return replace(self, **settings)

    @property
    def tried(self) -> Experiment:
        return parse({"mechanism": self.mechanism, "attack": None})

    @property
    def setting(self) -> dict[str, Any]:
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "label"}
        return {"records": own}

    def work(self) -> Work:
        return Work(values=100.0 * self.clients * self.repeats)

    def measure(self, seed: int) -> float:
        """Mean relative error, as a share of the true mean."""
        made = mechanisms.get(self.mechanism)
        mechanism = made.formed(self.form if self.form in made.forms else "corrected")
        half = RANGE_MODES[self.range].deal(self.clients)
        centre = half if self.centre is None else self.centre
        epsilon = EPSILON_MODES[self.epsilon].deal(self.clients)
        found = relative_errors(
            mechanism, epsilon, centre - half, centre + half, repeats=self.repeats, seed=seed
        )
        return float(found.mean())
