"""Arms of a claim: experiments with a label, measured once a seed by training or by a program."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ldp_core import datasets
from ldp_core.behaviour import version
from ldp_core.cost.seconds import Operations, work_of
from ldp_core.datasets import Data, data_dir
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.limits import SEEDS

Load = Callable[[str], Data]
Program = Callable[[Experiment, Load], "float | Mapping[str, Any]"]
"""Measures an experiment: its figure, or fields of `stored.Figure`."""


@dataclass(frozen=True)
class Arm:
    """An experiment with a label; its figure is its last accuracy, or what its program gives."""

    label: str
    base: Mapping[str, Any]
    set: Mapping[str, Any]
    """Field values by dotted name, as in a draft's variant."""
    named: str = ""
    """Name of its program; "" if it trains."""
    program: Program | None = field(default=None, compare=False)

    def experiment(self, seed: int = 0) -> Experiment:
        """Experiment with a seed; without attacks unless the arm sets one, as attacks change no weight."""
        return changed(parse({**self.base, "attack": None}), {**self.set, "seed": seed})

    @cached_property
    def tried(self) -> Experiment:
        return self.experiment()

    @property
    def setting(self) -> dict[str, Any]:
        """JSON stored beside each figure."""
        own = {"base": dict(self.base), "set": dict(self.set)}
        return {self.named: own} if self.named else own

    def key(self, seed: int) -> str:
        """Key of the figure for a seed, twelve hex digits of the arm's settings.

        `Experiment.key` would cover every field, so that a new field would invalidate all stored figures.
        """
        return hashlib.sha256(f"[{self._words}, {seed}]".encode()).hexdigest()[:12]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Keys of all possible seeds, from 0."""
        return tuple(self.key(seed) for seed in range(int(SEEDS.maximum)))

    @cached_property
    def _words(self) -> str:
        return json.dumps(self.setting, sort_keys=True)

    @cached_property
    def version(self) -> str:
        """Version of the program for the parts that the arm uses."""
        return version(self.tried)

    def work(self) -> Operations:
        """Work of one measurement, for estimates of time."""
        return work_of(plan(self.tried))

    def under(self, settings: Mapping[str, Any]) -> Arm:
        """Copy of the arm with some settings replaced."""
        return replace(self, set={**self.set, **settings}) if settings else self

    @property
    def missing(self) -> str:
        """Data that the arm trains on and this machine lacks, in words; "" if it can be measured."""
        if self.named:
            return ""
        name = str(self.base.get("dataset", "digits"))
        source = datasets.get(name)
        if source.there(data_dir()):
            return ""
        ways = [f"python -m ldp_core data {name} brings it here", *filter(None, [source.also_from])]
        return f"{source.label}; {', and '.join(ways)}"
