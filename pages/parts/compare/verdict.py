"""Sentence on which setting made the difference between runs, or why the runs cannot tell."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from ldp_core.inference import SEEDS, Difference, at_chance, in_points, unpaired
from ldp_core.runs import apart
from pages.parts.compare.arms import Arm
from pages.parts.systems.unlike import Field, causes, share_their_luck, unlike
from pages.parts.train.standings import held_out, same_model
from pages.parts.ui.text import few, listed, number, percent, plain

NAMED = 3
"""Largest number of pairs in the sentence on one setting."""


def verdict(arms: Sequence[Arm], fields: Sequence[Field]) -> str:
    """One or two sentences in Markdown; "" for fewer than two runs."""
    if len(arms) < 2:
        return ""
    lost = [arm for arm in arms if arm.series.diverged]
    if going := [arm for arm in arms if not arm.ended]:
        states = listed(f"{_name(arm)} is {arm.state}" for arm in going)
        return f"What made the difference is known when all of these runs have ended: {states}."
    ranked = sorted((arm for arm in arms if arm not in lost), key=_accuracy, reverse=True)
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
    best, worst = ranked[0], ranked[-1]
    if same_model([arm.series for arm in ranked]):
        differ = f", though they differ in {_the(why)}: it made no difference" if why else ""
        return f"These runs train the same model{differ}; it reaches {percent(_accuracy(best), 1)}."
    if at_chance(_accuracy(best), _chance(ranked)):
        none = f"none of these runs is better than guessing ({percent(_accuracy(best))} at most)"
        what = _the(why) if why else "the seed"
        return f"Nothing learns: {none}, so they say nothing about {what}."
    found = gap(best, worst, ranked)
    between = _between(best, worst, found)
    if not why:
        return f"These runs have the same settings and other seeds, so luck alone sets them apart: {between}."
    if len(why) == 1:
        name = _the(why)
        if found.clear:
            cause = f"**{name[0].upper()}{name[1:]} made the difference**"
            return f"{cause}: these runs differ in nothing else, and {between}."
        differ = f"These runs differ in {name} alone"
        unsure = "cannot tell whether that made the difference"
        if found.seeds < SEEDS:
            return f"{differ}, but fewer than three seeds {unsure}: {between}. Run more seeds."
        alike = found.outcome == "no difference"
        return f"{differ}, and {'it makes no difference' if alike else unsure}: {between}."
    things = f"These runs differ in {number(len(why), 3)} things ({_fields(why)})"
    return f"{things}, so **they cannot tell which one made the difference**: {between}.{_alone(ranked)}"


def _alone(ranked: Sequence[Arm]) -> str:
    """For each setting, the pairs of runs that differ in it only, largest difference first."""
    found: dict[str, list[tuple[Arm, Arm, Difference]]] = {}
    for one, other in combinations(ranked, 2):
        why = causes(unlike([one.experiment, other.experiment]))
        if len(why) == 1:
            found.setdefault(why[0].name, []).append((one, other, gap(one, other, ranked)))
    said = []
    for name, pairs in found.items():
        pairs.sort(key=lambda pair: abs(pair[2].mean), reverse=True)
        who = "Two of them differ" if len(pairs) == 1 else f"{number(len(pairs), 3)} pairs differ"
        by_pair = [_between(*pairs[0]) + _unsure(pairs[0][2]), *map(_shortly, pairs[1:NAMED])]
        rest = [f"{len(pairs) - NAMED} more"] * (len(pairs) > NAMED)
        said.append(f" {who} in the {plain(name)} alone: {'; '.join(by_pair + rest)}.")
    return "".join(said) or " Compare two that differ in one thing."


def _shortly(pair: tuple[Arm, Arm, Difference]) -> str:
    one, other, found = pair
    seed = ", with one seed" * (found.seeds < 2)
    return f"{_name(one)} {in_points(found.mean)} above {_name(other)}{seed}{_unsure(found)}"


def _unsure(found: Difference) -> str:
    if found.seeds < 2 or found.clear:
        return ""
    return ", which is no difference" if found.outcome == "no difference" else ", which may be chance"


def _between(one: Arm, other: Arm, found: Difference) -> str:
    ahead = f"{_name(one)} ends {in_points(found.mean)} points above {_name(other)}"
    return f"{ahead}, with one seed" if found.seeds < 2 else f"{ahead} ({found.in_words()})"


def _fields(why: Sequence[Field]) -> str:
    return plain(few([field.name for field in why], 5), 200)


def _the(fields: Sequence[Field]) -> str:
    return _fields([replace(field, name=_noun(field.name)) for field in fields])


def _noun(name: str) -> str:
    """A field's name as a noun: some are clauses."""
    return f"“{name}”" if name.startswith(("how ", "what ", "who ", "one ")) else f"the {name}"


def _name(arm: Arm) -> str:
    return f"**{plain(arm.series.label)}**"


def _accuracy(arm: Arm) -> float:
    return float(arm.series.final("accuracy").mean())


def _chance(ranked: Sequence[Arm]) -> float | None:
    known = {run.start.get("chance") for arm in ranked for run in arm.series.runs}
    return known.pop() if len(known) == 1 else None
