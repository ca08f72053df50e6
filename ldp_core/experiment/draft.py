"""The draft: what every page edits and what a job runs.

One base experiment, the variants that are compared with it, and a number of seeds. Variants differ
only in what they set; they share seeds, so that they are paired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ldp_core import limits
from ldp_core.errors import InvalidExperiment, Problem, hint, printable, shown
from ldp_core.experiment.overrides import changed
from ldp_core.experiment.reading import parse
from ldp_core.experiment.schema import Experiment
from ldp_core.experiment.threat_model import resolved

REFERENCE = -1
"""The variant number of the run without noise that a page asks for beside the draft's own."""


def without_noise(seeds: int) -> str:
    """Label of the run without noise; it has the first seed alone."""
    return "no noise (1 seed)" if seeds > 1 else "no noise"


@dataclass(frozen=True)
class Variant:
    """One of the runs compared: a short label, and the fields it sets."""

    label: str
    set: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """One run of a draft: variant number, its label, and the experiment with its own seed."""

    variant: int
    label: str
    experiment: Experiment


@dataclass(frozen=True)
class Draft:
    base: Experiment
    variants: tuple[Variant, ...]
    seeds: int = 1

    def experiments(self) -> list[Experiment]:
        """One experiment for each variant, with the base's own seed.

        Raises:
            InvalidExperiment: a variant that cannot run, named by its label.
        """
        return list(self._made)

    @cached_property  # every poll of every viewer asks for them
    def _made(self) -> tuple[Experiment, ...]:
        found = []
        for variant in self.variants:
            try:
                found.append(changed(self.base, variant.set))
            except InvalidExperiment as error:
                raise InvalidExperiment(
                    [Problem(p.path, f"{p.message} (in “{variant.label}”)") for p in error.problems]
                ) from None
        return tuple(found)

    @cached_property
    def _resolved(self) -> tuple[Experiment, ...]:
        return tuple(map(resolved, self._made))

    def runs(self, reference: bool = False) -> list[Run]:
        """Every run, seed by seed, its attack spelled out: seeds count up from the base's own. At the end,
        if asked for, the reference run where there is one."""
        return list(self.each_run(reference))

    def each_run(self, reference: bool = False) -> Iterator[Run]:
        """As `runs`, lazily: experiments with many clients take a megabyte each."""
        for s in range(self.seeds):
            for v, (variant, experiment) in enumerate(zip(self.variants, self._resolved, strict=True)):
                yield Run(v, variant.label, changed(experiment, {"seed": experiment.seed + s}))
        if reference and (clean := self.reference()):
            yield clean

    def reference(self) -> Run | None:
        """A plain mean without noise and attack; None if a variant is without noise already."""
        if any(experiment.mechanism.role == "identity" for experiment in self.experiments()):
            return None
        plain: dict[str, Any] = {"mechanism.name": "none", "aggregator.name": "mean", "form": "corrected"}
        # what has no noise is within no limit, and no client would send
        plain |= {"attack": None, "clients.run_limit": None}
        clean = changed(self.experiments()[-1], plain)
        return Run(REFERENCE, without_noise(self.seeds), clean)

    def as_json(self) -> dict[str, Any]:
        return {
            "base": self.base.as_json(),
            "variants": [{"label": v.label, "set": dict(v.set)} for v in self.variants],
            "seeds": self.seeds,
        }

    def with_base(self, changes: Mapping[str, Any]) -> Draft:
        """A copy whose base has some fields set; variants still set their own."""
        return checked(replace(self, base=changed(self.base, changes)))


def checked(draft: Draft) -> Draft:
    """The draft itself, if all its variants can run."""
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
            raise InvalidExperiment([Problem("seed", f"{message}; got {experiment.seed}")])
    return draft


def parse_draft(data: Any) -> Draft:
    """The draft that a JSON object describes; a bare experiment is a draft with one variant."""
    if not (isinstance(data, Mapping) and "base" in data):
        base = parse(data)
        return Draft(base, (Variant(base.name or "run"),), 1)
    known = ("base", "variants", "seeds")
    extra = [Problem(str(k), f"is not a field of a draft{hint(k, known)}") for k in data if k not in known]
    if extra:
        raise InvalidExperiment(extra)
    seeds = data.get("seeds", 1)
    if isinstance(seeds, bool) or not isinstance(seeds, int):
        raise InvalidExperiment(
            [Problem("seeds", f"must be a whole number {limits.SEEDS}; got {shown(seeds)}")]
        )
    given = data.get("variants", [{"label": "run"}])
    if not isinstance(given, list | tuple):
        raise InvalidExperiment([Problem("variants", f"must be a list; got {shown(given)}")])
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
        raise InvalidExperiment(
            [Problem("variants", f'must be objects like {{"label": …, "set": {{…}}}}; got {shown(item)}')]
        )
    return Variant(label, dict(sets))
