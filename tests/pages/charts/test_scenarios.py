"""No chart of a scenario contradicts its lesson: what a student reads off it is what its runs came to."""

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.experiment import Draft
from ldp_core.runs import outcomes
from ldp_core.runs.lockstep import drive
from ldp_core.runs.view.run_curves import Progress, RunProgress
from pages.parts.charts.series import Series, series
from pages.parts.charts.split import served_figure

DRAFTS = {name: presets.get(name).draft for name in presets.names()}


@cache
def trained(name: str) -> tuple[Draft, tuple[RunProgress, ...], list[Series]]:
    """A scenario's first seed, without attacks."""
    whole = DRAFTS[name].with_base({"attack": None})
    draft = Draft(whole.base, whole.variants, 1)
    found = []
    for number, run in enumerate(draft.runs()):
        one = RunProgress(number, run.label, run.experiment.seed, json.dumps(run.experiment.as_json()))
        for turn in drive({0: run.experiment}):
            for event in turn.events:
                one.fold(event)
        found.append(one)
    progress = Progress((), ())
    progress.runs.extend(found)
    return draft, tuple(found), series(progress, draft)[0]


def lines(figure: Any) -> dict[str, Any]:
    return {trace["name"]: trace for trace in figure["data"] if trace.get("name")}


@pytest.mark.parametrize("name", DRAFTS)
def test_stored_curve_ends_within_its_stored_seeds(name: str):
    found = outcomes.stored(name)
    if found is None:
        return
    for curve, ends in zip(found.curves, found.ends, strict=True):
        assert min(ends) - 1e-3 <= curve[-1] <= max(ends) + 1e-3


def test_silenced_classes_have_zero_accuracy_bars():
    """The zeros of the digits 5 to 9 stand beside the accuracy, as the runs have them."""
    _, runs, shown = trained("who_is_silenced")
    drawn = lines(served_figure(shown, [str(digit) for digit in range(10)]))
    for run in runs:
        np.testing.assert_allclose(drawn[run.label]["y"], run.last["accuracy_per_class"])
    assert max(drawn["1/σ²"]["y"][5:]) < 0.1 < min(drawn["1/σ²"]["y"][:5])
