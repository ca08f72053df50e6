"""An arm of a claim: something that is measured under a name, once a seed.

Most arms train an experiment and are judged by its final accuracy. Some need no training: a measurement on
the paper's synthetic records, or what a round sends.
"""

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
from ldp_core.cost.traffic import against_share, traffic
from ldp_core.cost.work import Work, work_of
from ldp_core.datasets import data_dir
from ldp_core.experiment import EPSILON_MODES, RANGE_MODES, Experiment, changed, parse
from ldp_core.limits import SEEDS
from ldp_core.theory.relative_error import relative_errors


@dataclass(frozen=True)
class Arm(ABC):
    """What is measured, and under which name."""

    label: str

    @property
    @abstractmethod
    def setting(self) -> dict[str, Any]:
        """As JSON: what is stored beside each figure."""

    def key(self, seed: int) -> str:
        """Twelve hex digits that two measurements share if and only if they are asked for alike.

        Not the experiment's own: that one has every field, so a new field would disown all figures. What a
        default or a system's settings make of it is the version's business.
        """
        text = f"[{self._words}, {seed}]"
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Of every seed that there may be, from 0 on."""
        return tuple(self.key(seed) for seed in range(int(SEEDS.maximum)))

    @cached_property
    def _words(self) -> str:
        return json.dumps(self.setting, sort_keys=True)

    @property
    @abstractmethod
    def tried(self) -> Experiment:
        """An experiment of all the parts that it uses."""

    @cached_property
    def version(self) -> str:
        """Of what it computes."""
        return version(self.tried)

    @abstractmethod
    def work(self) -> Work:
        """What one measurement takes."""

    def under(self, settings: Mapping[str, Any]) -> Arm:
        """The same arm with other settings, in place of its own where it sets the same."""
        return self

    @property
    def missing(self) -> str:
        """The data that it needs and that are not on this machine, in words; "" if it can be measured."""
        return ""


@dataclass(frozen=True)
class Trained(Arm):
    """A run; its figure is the accuracy after the last round."""

    base: Mapping[str, Any]
    set: Mapping[str, Any]
    """Fields by dotted names, as a draft's variant has them."""
    about: str = ""
    """What of its run it is judged by, where not by what its claim speaks of; another arm has that run."""

    def experiment(self, seed: int = 0) -> Experiment:
        """Without attacks, unless it sets one: they move no weight."""
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
        source = datasets.get(str(self.base.get("dataset", "digits")))
        return "" if source.there(data_dir()) else source.label


@dataclass(frozen=True)
class Leaking(Trained):
    """A run of whose uploads it is also told how often they give their image away, round by round."""

    images: int = field(default=1, kw_only=True)
    """Of each client in each round."""

    @property
    def setting(self) -> dict[str, Any]:
        return {"leaking": {"base": dict(self.base), "set": dict(self.set), "images": self.images}}


@dataclass(frozen=True)
class Timed(Trained):
    """A run by itself, of which it is also told how long the processor worked on its rounds."""

    @property
    def setting(self) -> dict[str, Any]:
        return {"timed": {"base": dict(self.base), "set": dict(self.set)}}


class Computed(Arm):
    """What needs no training and no data."""

    unit: ClassVar[str]
    """What its figure is, as an axis says it."""

    @abstractmethod
    def measure(self, seed: int) -> float:
        """Its figure, as a share."""


@dataclass(frozen=True)
class Sent(Computed):
    """What clients send in a round when a share of them takes part, over what they send when all do."""

    base: Mapping[str, Any]
    share: float

    unit = "of what all clients send, %"

    @property
    def tried(self) -> Experiment:
        return parse({**self.base, "attack": None})

    @property
    def setting(self) -> dict[str, Any]:
        return {"sent": {"base": dict(self.base), "share": self.share}}

    def work(self) -> Work:
        return Work(0, 0, 1, 0, 0, 0, 0)

    def measure(self, seed: int) -> float:
        """Counted, and no seed changes it."""
        some, every = against_share(self.tried, [self.share, 1.0])
        return some.up / every.up


@dataclass(frozen=True)
class Packed(Computed):
    """What clients send in a round in as few bits as it takes, over what they would send as floats."""

    base: Mapping[str, Any]
    set: Mapping[str, Any]

    unit = "of the bits without a mechanism, %"

    @property
    def tried(self) -> Experiment:
        return changed(parse({**self.base, "attack": None}), dict(self.set))

    @property
    def setting(self) -> dict[str, Any]:
        return {"packed": {"base": dict(self.base), "set": dict(self.set)}}

    def work(self) -> Work:
        return Work(0, 0, 1, 0, 0, 0, 0)

    def measure(self, seed: int) -> float:
        """Counted, and no seed changes it."""
        asked = self.tried
        here, plain = traffic(asked), traffic(changed(asked, {"mechanism.name": "none", "form": "corrected"}))
        return here.packed / plain.packed


@dataclass(frozen=True)
class Records(Computed):
    """Paper 000's synthetic records: the relative error of the mean, averaged over repetitions.

    A client whose range is L long draws its records uniformly from [centre − L/2, centre + L/2]; without a
    centre from [0, L].
    """

    mechanism: str
    epsilon: str
    """A mode's name."""
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
        return Work(0, 0, 100.0 * self.clients * self.repeats, 0, 0, 0, 0)

    def measure(self, seed: int) -> float:
        """The mean of the relative errors, as a share of the true mean."""
        made = mechanisms.get(self.mechanism)
        mechanism = made.formed(self.form if self.form in made.forms else "corrected")
        half = RANGE_MODES[self.range].deal(self.clients)
        centre = half if self.centre is None else self.centre
        epsilon = EPSILON_MODES[self.epsilon].deal(self.clients)
        found = relative_errors(
            mechanism, epsilon, centre - half, centre + half, repeats=self.repeats, seed=seed
        )
        return float(found.mean())
