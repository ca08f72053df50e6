"""An arm of a claim: something that is measured under a name, once a seed.

Most arms train an experiment and are judged by its final accuracy. Some need no training: a measurement on
the paper's synthetic records, or what a round sends.
"""

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
from ldp_core.cost.work import Work, work_of
from ldp_core.datasets import data_dir
from ldp_core.experiment import Experiment, changed, parse
from ldp_core.limits import SEEDS


@dataclass(frozen=True)
class Arm(ABC):
    """A measured quantity and its label."""

    label: str

    @property
    @abstractmethod
    def setting(self) -> dict[str, Any]:
        """JSON that is stored beside each figure."""

    def key(self, seed: int) -> str:
        """Twelve hex digits that two measurements share if and only if they are asked for alike.

        Not the experiment's own: that one has every field, so a new field would disown all figures. What a
        default or a system's settings make of it is the version's business.
        """
        text = f"[{self._words}, {seed}]"
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Cache keys of all possible seeds, from 0 on."""
        return tuple(self.key(seed) for seed in range(int(SEEDS.maximum)))

    @cached_property
    def _words(self) -> str:
        return json.dumps(self.setting, sort_keys=True)

    @property
    @abstractmethod
    def tried(self) -> Experiment:
        """Experiment that uses all of the arm's parts."""

    @cached_property
    def version(self) -> str:
        """Version of the program for what it computes."""
        return version(self.tried)

    @abstractmethod
    def work(self) -> Work:
        """Work of one measurement."""

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
        """Experiment of a seed; without attacks unless the arm sets one, as they change no weight."""
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
    """A run that also says how often its uploads give their image away, round by round."""

    images: int = field(default=1, kw_only=True)
    """Of each client in each round."""

    @property
    def setting(self) -> dict[str, Any]:
        return {"leaking": {"base": dict(self.base), "set": dict(self.set), "images": self.images}}


@dataclass(frozen=True)
class Timed(Trained):
    """A run by itself that also says how long the processor worked on its rounds."""

    @property
    def setting(self) -> dict[str, Any]:
        return {"timed": {"base": dict(self.base), "set": dict(self.set)}}
