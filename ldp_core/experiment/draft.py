"""The draft: a base experiment, variants to compare, and a number of seeds; pages edit it and a training job
runs it.

Variants differ only in the fields they set; they share seeds, so that their runs are paired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ldp_core import limits
from ldp_core.errors import InvalidExperiment, Problem, printable, shown
from ldp_core.experiment.overrides import changed
from ldp_core.experiment.planning import plan
from ldp_core.experiment.reading import checked_by, parse, unknown
from ldp_core.experiment.schema import Experiment
from ldp_core.fields import Whole

REFERENCE = -1
"""Variant number of the run without noise."""


def without_noise(seeds: int) -> str:
    """Label of the run without noise, which has the first seed only."""
    return "no noise (1 seed)" if seeds > 1 else "no noise"


@dataclass(frozen=True)
class Variant:
    """A compared setting: a short label, and the fields it sets by dotted name."""

    label: str
    set: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """A run of a draft: variant number, label, and the experiment with its seed."""

    variant: int
    label: str
    experiment: Experiment


@dataclass(frozen=True)
class Draft:
    base: Experiment
    variants: tuple[Variant, ...]
    seeds: int = 1

    @classmethod
    def alone(cls, base: Experiment, seeds: int = 1) -> Draft:
        return cls(base, (Variant("this setting"),), seeds)

    def experiments(self) -> list[Experiment]:
        """One experiment per variant, with the base's seed. Raises InvalidExperiment: a variant cannot run;
        named by its label.
        """
        return list(self._made)

    @cached_property  # every poll of every viewer asks for them
    def _made(self) -> tuple[Experiment, ...]:
        found = []
        for variant in self.variants:
            try:
                found.append(changed(self.base, variant.set))
            except InvalidExperiment as error:
                raise error.within(f"“{variant.label}”") from None
        return tuple(found)

    @cached_property
    def lengths(self) -> tuple[int, int]:
        """Fewest and most rounds of a variant."""
        found = [one.rounds for one in self._made]
        return min(found), max(found)

    @cached_property
    def _resolved(self) -> tuple[Experiment, ...]:
        return tuple(plan(experiment).resolved.experiment for experiment in self._made)

    def runs(self, reference: bool = False) -> list[Run]:
        """All runs, seed by seed, with their attacks resolved; seeds count up from the base's. With
        `reference`, the run without noise comes last.
        """
        return list(self.each_run(reference))

    def each_run(self, reference: bool = False) -> Iterator[Run]:
        """Runs as in `runs`, lazily: experiments with many clients take a megabyte each."""
        for s in range(self.seeds):
            for v, (variant, experiment) in enumerate(zip(self.variants, self._resolved, strict=True)):
                yield Run(v, variant.label, experiment.seeded(experiment.seed + s))
        if reference and (clean := self.reference()):
            yield clean

    def reference(self) -> Run | None:
        """The run for comparison: plain mean, no noise, no attack; None if a variant has no noise already."""
        if any(plan(experiment).randomiser.role == "identity" for experiment in self.experiments()):
            return None
        plain: dict[str, Any] = {
            "unit": "client",
            "mechanism.name": "none",
            "aggregator.name": "mean",
            "form": "corrected",
        }
        # what has no noise is within no limit, and no client would send
        plain |= {"attack": None, "clients.run_limit": None, "trust.kind": "local"}
        clean = changed(self.experiments()[-1], plain)
        return Run(REFERENCE, without_noise(self.seeds), clean)

    def as_json(self) -> dict[str, Any]:
        return {
            "base": self.base.as_json(),
            "variants": [{"label": v.label, "set": dict(v.set)} for v in self.variants],
            "seeds": self.seeds,
        }

    def with_base(self, changes: Mapping[str, Any]) -> Draft:
        """A copy with some fields of the base changed; fields that variants set are kept."""
        return checked(replace(self, base=changed(self.base, changes)))


def checked(draft: Draft) -> Draft:
    """The draft itself. Raises InvalidExperiment: a variant cannot run, or there are too many variants or
    seeds.
    """
    problems = []
    if not limits.SEEDS.allows(draft.seeds):
        problems.append(Problem("seeds", f"must be a whole number {limits.SEEDS}; got {shown(draft.seeds)}"))
    if not limits.VARIANTS.allows(len(draft.variants)):
        problems.append(
            Problem("variants", f"must be {limits.VARIANTS} in number; got {len(draft.variants)}")
        )
    labels = [variant.label for variant in draft.variants]
    for label in {label for label in labels if labels.count(label) > 1}:
        problems.append(Problem("variants", f"must have labels of their own; got {shown(label)} twice"))
    if problems:
        raise InvalidExperiment(problems)
    for experiment in draft.experiments():
        last = experiment.seed + draft.seeds - 1
        if not limits.SEED.allows(last):
            message = f"must leave room for {draft.seeds} seeds up to {limits.SEED.maximum:.0f}"
            raise InvalidExperiment.at("seed", f"{message}; got {experiment.seed}")
    return draft


def parse_draft(data: Any) -> Draft:
    """Draft of a JSON object; a bare experiment becomes a draft with one variant. Raises InvalidExperiment:
    every field that is wrong.
    """
    if not (isinstance(data, Mapping) and "base" in data):
        base = parse(data)
        return Draft(base, (Variant(base.name or "run"),), 1)
    known = ("base", "variants", "seeds")
    if extra := unknown(data, "draft", known):
        raise InvalidExperiment(extra)
    seeds = checked_by(Whole(limits.SEEDS), "seeds", data.get("seeds", 1))
    given = data.get("variants", [{"label": "run"}])
    if not isinstance(given, list | tuple):
        raise InvalidExperiment.at("variants", f"must be a list; got {shown(given)}")
    variants = tuple(_variant(item) for item in given or [{"label": "run"}])
    return checked(Draft(parse(data["base"]), variants, seeds))


def _variant(item: Any) -> Variant:
    fits = isinstance(item, Mapping) and set(item) <= {"label", "set"}
    label, sets = (item.get("label"), item.get("set", {})) if fits else (None, None)
    if (
        not isinstance(label, str)
        or not 0 < len(label) <= limits.LABEL_LENGTH
        or not printable(label)
        or not isinstance(sets, Mapping)
    ):
        raise InvalidExperiment.at(
            "variants", f'must be objects like {{"label": …, "set": {{…}}}}; got {shown(item)}'
        )
    return Variant(label, dict(sets))
