"""Sentences on significant differences between runs, and causes of divergence."""

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment, plan
from ldp_core.inference import margin, ranking
from ldp_core.mechanisms.base import Floats
from ldp_core.runs import apart, final_figures
from pages.parts.charts.series import Series
from pages.parts.train.server_panel import perturbed
from pages.parts.ui.text import listed, number, percent, plain

FAR = 8.0
"""Ratio of the safe range to the size of uploads from which on the range is blamed for the noise."""


def standings(
    shown: Sequence[Series], reference: Series | None, chance: float | None, stopped: bool = False
) -> list[str]:
    """Sentences on runs that diverged, on the order of the others at their end with what supports it, and on
    how sure figures of few samples are.
    """
    going = [one for one in shown if one.diverged is None]
    ranked = sorted(((one, one.final("accuracy")) for one in going if one.round > 0), key=_mean, reverse=True)
    parts = [_diverged(one, [*shown, *([reference] if reference else [])]) for one in shown if one.diverged]
    if len(ranked) > 1 and not stopped and not same_model(going):
        parts += _order(ranked, chance)
    if ranked and all(counts := [held_out(one) for one, _ in ranked]):
        pairs = zip(counts, ranked, strict=True)
        unsure = sorted(100 * margin(float(value), n) for n, (_, values) in pairs for value in values)
        many, ends = (
            " to ".join(dict.fromkeys(number(end, digits) for end in (min(of), max(of))))
            for of, digits in ((counts, 6), (unsure, 2))
        )
        parts.append(
            f"That only {many} samples are held out makes each accuracy unsure by ±{ends} points; what seeds "
            "do comes on top."
        )
    return parts


def same_model(shown: Sequence[Series]) -> bool:
    return final_figures.same_model([one.runs for one in shown])


def held_out(one: Series) -> int:
    """Number of held-out samples; 0 if unknown."""
    if samples := (one.runs[0].end or {}).get("held_out"):
        return int(samples)
    try:
        return plan(one.experiment).source.test_size
    except StudioError:  # its data are gone
        return 0


def _mean(item: tuple[Series, Floats]) -> float:
    return float(item[1].mean())


def _order(ranked: Sequence[tuple[Series, Floats]], chance: float | None) -> list[str]:
    every = [one.runs for one, _ in ranked]
    found = ranking(
        [((one.label, None), float(values.mean())) for one, values in ranked],
        chance,
        lambda one, other: apart(every[one], every[other], every),
    )
    supports = f" ({found.gap.in_words()})" if found.gap else ""
    return [f"{found.text(lambda name: f'**{plain(name)}**')}{supports}."]


def _diverged(one: Series, all_runs: Sequence[Series]) -> str:
    rounds = sorted({run.end["round"] + 1 for run in one.lost if run.end})
    when = f"round{'s' if len(rounds) > 1 else ''} {listed(map(str, rounds))}"
    some = f"with {len(one.lost)} of {len(one.runs)} seeds, " if len(one.lost) < len(one.runs) else ""
    why = f"; {found.why}" if (found := blame(one, all_runs)) else ""
    return f"**{plain(one.label)}** diverged {some}in {when}{why}."


class Blame(NamedTuple):
    cause: Literal["rate", "noise", "range"]
    why: str


def blame(one: Series, all_runs: Sequence[Series]) -> Blame | None:
    """Cause of a divergence; None without a completed run without noise."""
    asked = one.experiment
    rate = f"the learning rate, {number(asked.local.learning_rate, 4)}, is too large"
    if not perturbed(one):
        return Blame("rate", f"there is no noise: {rate}")
    clean = (other for other in all_runs if other.runs and not perturbed(other))
    twins = [other for other in clean if training(other.experiment) == training(asked)]
    if any(twin.diverged for twin in twins):
        return Blame("rate", f"without noise the same training diverges as well: {rate}")
    twin = next((twin for twin in twins if twin.round > 0), None)
    if twin is None:
        return None
    reaches = percent(twin.final("accuracy").mean())
    drove = f"without noise the same training reaches {reaches}: the noise drove it out"
    population, signal = plan(asked).population, twin.final("signal_variance")
    halves = (population.high - population.low) / 2
    half, ends = float(halves.mean()), dict.fromkeys(number(float(x)) for x in (halves.min(), halves.max()))
    size = math.sqrt(signal.mean()) if len(signal) else 0.0
    if size and half >= FAR * size:
        mean = "on average " if len(ends) > 1 else ""
        times = f"{mean}{number(half / size, 2)} times the size of what is sent ({number(size, 2)})"
        return Blame("range", f"{drove}, most of it by the range, ±{' to '.join(ends)}, {times}")
    return Blame("noise", drove)


def training(experiment: Experiment) -> list[Any]:
    shared = ("dataset", "features", "model", "local", "partition", "rounds", "target", "selection", "system")
    count = experiment.clients.count  # fewer hold more samples each
    return [*(getattr(experiment, name) for name in shared), count]
