"""Which setting made the difference between runs, or why the runs cannot tell."""

from collections.abc import Sequence

from ldp_core.inference import Difference, ranking, unpaired
from ldp_core.runs import apart
from pages.parts.compare.arms import ComparedRun
from pages.parts.systems.unlike import Field, causes, share_their_luck, unlike
from pages.parts.train.standings import held_out, same_model
from pages.parts.ui.text import few, listed, plain


def verdict(arms: Sequence[ComparedRun], fields: Sequence[Field]) -> tuple[str, str]:
    """A sentence in Markdown, and what supports it; empty for fewer than two runs."""
    if len(arms) < 2:
        return "", ""
    lost = [arm for arm in arms if arm.series.diverged]
    if going := [arm for arm in arms if not arm.ended]:
        states = listed(f"{_name(arm)} is {arm.state}" for arm in going)
        return f"What made the difference is known when all of these runs have ended: {states}.", ""
    ranked = sorted((arm for arm in arms if arm not in lost), key=accuracy, reverse=True)
    gone = f"{listed(map(_name, lost))} diverged. " if lost else ""
    if len(ranked) < 2:
        return f"{gone}Less than two of these runs have come to an end that can be compared.", ""
    why = causes(fields if not lost else unlike([arm.experiment for arm in ranked]))
    found = ranking(
        [((arm.series.label, arm.series.style.tint), accuracy(arm)) for arm in ranked],
        _chance(ranked),
        lambda one, other: gap(ranked[one], ranked[other], ranked),
        plain(why[0].noun) if len(why) == 1 else "" if why else None,
        same_model([arm.series for arm in ranked]),
    )
    supports = found.gap.in_words() if found.gap else ""
    differ = f"They differ in {plain(few([field.name for field in why], 5), 200)}." if why else ""
    return gone + found.text(lambda name: f"**{plain(name)}**"), f"{supports}. {differ}".removeprefix(". ")


def gap(one: ComparedRun, other: ComparedRun, ranked: Sequence[ComparedRun] = ()) -> Difference:
    """Difference of two arms picked among the `ranked`; paired where seeds and data are common."""
    shared = {run.seed for run in one.series.runs} & {run.seed for run in other.series.runs}
    alike = share_their_luck(unlike([one.experiment, other.experiment]))
    least = min(len(one.series.runs), len(other.series.runs))
    if alike and (len(shared) > 1 or (shared and least == 1)):
        return apart(one.series.runs, other.series.runs, [arm.series.runs for arm in ranked])
    pairs = max(1, len(ranked) * (len(ranked) - 1) // 2)
    first, second = (arm.series.final("accuracy") for arm in (one, other))
    return unpaired(first, second, pairs, held_out(one.series))


def _name(arm: ComparedRun) -> str:
    return f"**{plain(arm.series.label)}**"


def accuracy(arm: ComparedRun) -> float:
    return float(arm.series.final("accuracy").mean())


def _chance(ranked: Sequence[ComparedRun]) -> float | None:
    known = {run.start.get("chance") for arm in ranked for run in arm.series.runs}
    return known.pop() if len(known) == 1 else None
