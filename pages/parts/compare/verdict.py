"""Sentence on which setting made the difference between runs, or why the runs cannot tell."""

from collections.abc import Sequence
from dataclasses import replace

from ldp_core.inference import SEEDS, Difference, at_chance, in_points, unpaired
from ldp_core.runs import apart
from pages.parts.compare.arms import Arm
from pages.parts.systems.unlike import Field, causes, share_their_luck, unlike
from pages.parts.train.standings import held_out, same_model
from pages.parts.ui.text import few, listed, number, percent, plain


def verdict(arms: Sequence[Arm], fields: Sequence[Field]) -> str:
    """One or two sentences in Markdown; "" for fewer than two runs."""
    if len(arms) < 2:
        return ""
    lost = [arm for arm in arms if arm.series.diverged]
    if going := [arm for arm in arms if not arm.ended]:
        states = listed(f"{_name(arm)} is {arm.state}" for arm in going)
        return f"What made the difference is known when all of these runs have ended: {states}."
    ranked = sorted((arm for arm in arms if arm not in lost), key=accuracy, reverse=True)
    gone = f"{listed(map(_name, lost))} diverged. " if lost else ""
    if len(ranked) < 2:
        return f"{gone}Less than two of these runs have come to an end that can be compared."
    why = causes(fields if not lost else unlike([arm.experiment for arm in ranked]))
    return gone + _ranking(ranked, why)


def gap(one: Arm, other: Arm, ranked: Sequence[Arm] = ()) -> Difference:
    """Difference of two arms picked among the `ranked`; paired where seeds and data are common."""
    shared = {run.seed for run in one.series.runs} & {run.seed for run in other.series.runs}
    alike = share_their_luck(unlike([one.experiment, other.experiment]))
    least = min(len(one.series.runs), len(other.series.runs))
    if alike and (len(shared) > 1 or (shared and least == 1)):
        return apart(one.series.runs, other.series.runs, [arm.series.runs for arm in ranked])
    pairs = max(1, len(ranked) * (len(ranked) - 1) // 2)
    first, second = (arm.series.final("accuracy") for arm in (one, other))
    return unpaired(first, second, pairs, held_out(one.series))


def _ranking(ranked: Sequence[Arm], why: Sequence[Field]) -> str:
    best, second = ranked[:2]
    if same_model([arm.series for arm in ranked]):
        differ = f", though they differ in {_the(why)}: it made no difference" if why else ""
        return f"These runs train the same model{differ}; it reaches {percent(accuracy(best), 1)}."
    if at_chance(accuracy(best), _chance(ranked)):
        none = f"none of these runs is better than guessing ({percent(accuracy(best))} at most)"
        what = _the(why) if why else "the seed"
        return f"Nothing learns: {none}, so they say nothing about {what}."
    near = gap(best, second, ranked)
    if not why:
        return f"Same settings, other seeds: luck alone sets these apart. {_next(ranked, near)}"
    if len(why) > 1:
        return f"{_next(ranked, near)} They differ in {number(len(why), 3)} things."
    name = _the(why)
    if gap(best, ranked[-1], ranked).clear:
        return f"**{name[0].upper()}{name[1:]} made the difference**: {_next(ranked, near)}"
    return f"{_next(ranked, near)} These runs differ in {name} alone."


def _next(ranked: Sequence[Arm], found: Difference) -> str:
    """The best, and whether the next is surely worse."""
    best, second = ranked[:2]
    ahead = f"{_name(best)} ends best ({percent(accuracy(best), 1)})"
    behind = f"{_name(second)}{', next,' * (len(ranked) > 2)}"
    by = f"{in_points(found.mean)} points"
    if same_model([best.series, second.series]):
        return f"{ahead}; {behind} is the same model."
    if found.seeds < SEEDS:
        return f"{ahead}, {by} above {behind}; fewer than three seeds cannot tell more."
    if found.clear:
        return f"{ahead}; {behind} is surely worse, by {by} ({found.span})."
    if found.outcome == "no difference":
        return f"{ahead}, with no difference to {behind} ({found.span})."
    return f"{ahead}; these runs cannot tell whether {behind} is worse, {by} below it ({found.span})."


def _fields(why: Sequence[Field]) -> str:
    return plain(few([field.name for field in why], 5), 200)


def _the(fields: Sequence[Field]) -> str:
    return _fields([replace(field, name=_noun(field.name)) for field in fields])


def _noun(name: str) -> str:
    """A field's name as a noun: some are clauses."""
    return f"“{name}”" if name.startswith(("how ", "what ", "who ", "one ")) else f"the {name}"


def _name(arm: Arm) -> str:
    return f"**{plain(arm.series.label)}**"


def accuracy(arm: Arm) -> float:
    return float(arm.series.final("accuracy").mean())


def _chance(ranked: Sequence[Arm]) -> float | None:
    known = {run.start.get("chance") for arm in ranked for run in arm.series.runs}
    return known.pop() if len(known) == 1 else None
