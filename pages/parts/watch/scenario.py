"""Runs that a scenario's headline compares, and the setting in which they differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from ldp_core.experiment import Draft
from pages.parts.charts.series import Series
from pages.parts.systems.unlike import causes, unlike
from pages.parts.ui.scenario import preset_of
from pages.parts.ui.text import plain


@dataclass(frozen=True)
class Compared:
    runs: list[Series]
    cause: str
    """Setting in which the best and the worst run differ; "" if they differ in several."""
    leaks: bool
    """Whether leakage is compared instead of accuracy."""


def compared(draft: Draft, ranked: Sequence[Series]) -> Compared:
    """Runs of the scenario's question among the `ranked`, most accurate first; all if fewer than two are."""
    preset = preset_of(draft)
    named = [one for one in ranked if preset and one.label in preset.compared]
    runs = named if len(named) > 1 else list(ranked)
    experiments = draft.experiments()
    fields = causes(unlike([experiments[one.number] for one in (runs[0], runs[-1])]))
    cause = plain(fields[0].noun) if len(fields) == 1 else ""
    leaks = preset is not None and preset.by == "leak"
    return Compared(sorted(runs, key=lambda one: one.number) if leaks else runs, cause, leaks)
