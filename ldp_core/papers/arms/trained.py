"""Arms of a claim: named measurements, one per seed; of most, an experiment's final accuracy."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ldp_core import datasets
from ldp_core.behaviour import version
from ldp_core.cost.seconds import Work, work_of
from ldp_core.datasets import data_dir
from ldp_core.experiment import Experiment, changed, parse
from ldp_core.limits import SEEDS


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
