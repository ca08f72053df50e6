"""The closest attempts of attacks on runs; and what holds training without noise back."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ldp_core.experiment import Plan, plan
from ldp_core.mechanisms.base import Floats
from ldp_core.runs import Tries
from pages.parts.charts.series import Series
from pages.parts.train.server_panel import leaked, perturbed
from pages.parts.ui.text import number, percent

NEAR, CUT, RISING = 0.02, 0.001, 0.01
"""Distance to the ceiling that is none; share of clipped numbers, and late rise, that are some."""


def held_back(shown: Sequence[Series], reference: Series | None, ceiling: float) -> str:
    """What keeps training without noise below what one model of all the data reaches; "" if nothing does."""
    clean = [one for one in shown if _noiseless(plan(one.experiment))]
    one = next((one for one in (reference, *clean) if one and one.round and not one.diverged), None)
    if one is None or (reached := float(one.final("accuracy").mean())) > ceiling - NEAR:
        return ""
    course, cut = one.mean("accuracy"), float(one.final("clipped_fraction").mean())
    late = max(1, one.round // 3)
    rise = float(course[-1] - course[-1 - late])
    causes = []
    if cut > CUT:
        causes.append(f"{percent(cut, 1)} of what is sent is clipped, which a wider range is not")
    if rise > RISING:
        rounds = "round" if late == 1 else f"{late} rounds"
        causes.append(f"it rose by {percent(rise, 1)} in the last {rounds}: more of them, or a larger step")
    neither = "neither range nor rounds bind, as far as is seen: try another step, or another model"
    return (
        f"Without noise this training reaches {percent(reached)}, one model of all the data "
        f"{percent(ceiling)}: {'; '.join(causes) or neither}."
    )


def _noiseless(plan: Plan) -> bool:
    return plan.randomiser.role == "identity" and plan.experiment.trust.name == "local"


def attacked_among(shown: Sequence[Series]) -> list[Series]:
    """Attacked runs with noise; all attacked ones if none has any."""
    attacked = [one for one in shown if one.runs and one.runs[0].targets]
    return [one for one in attacked if perturbed(one)] or attacked


def closest_of(
    shown: Sequence[Series], upload: str, clients: Iterable[int] | None = None
) -> tuple[Tries, dict[str, Any], Series] | None:
    """The closest attempts on these clients (None: on any) over runs and seeds, their event, and the run."""
    found = [
        (tries, tries.closest, one)
        for one in shown
        for run in one.runs
        for (kind, client), tries in run.tries.items()
        if kind == upload and tries.closest and (clients is None or client in clients)
    ]
    return max(found, key=lambda one: leaked(one[0], one[1]), default=None)


def each_upload(shown: Sequence[Series], upload: str, clients: Iterable[int] | None = None) -> Floats:
    """Images recovered from each attacked real upload, or dB of each upload of one image, of these clients
    (None: of all), over runs, seeds and rounds.
    """
    found = [
        (tries.recovered if upload == "real" else tries.psnr)[None][: tries.rounds]
        for one in shown
        for run in one.runs
        for (kind, client), tries in run.tries.items()
        if kind == upload and (clients is None or client in clients)
    ]
    return np.concatenate([np.empty(0), *found])


def the_most_of(back: Floats) -> str:
    """`the most of 18 uploads, 10.6 on average`; "" for a single one."""
    return f"the most of {len(back)} uploads, {number(back.mean(), 3)} on average" if len(back) > 1 else ""
