"""Search for the least ε: theory brackets ε for each range, a few runs locate the crossing, more runs decide.

A setting meets the target if a further run would, with 97.5 % confidence by the spread over seeds, as if it
were the only setting tried. The least of many such settings is selected by luck too: so it is tried with as
many more seeds, and if all together no longer meet the target, the search goes on above. So it does if all
do not with as many fresh seeds again, from which the reported accuracy comes: a second stage, which is judged
at half of the error (alpha spending, Lan and DeMets 1983). If the fresh ones alone fall below, the answer
says so first. All settings share their seeds, so they are paired. The next runs depend on results only, so a
killed search resumes from the store.

If no setting meets the target, each range is reported by its own runs: it falls short where, with the same
confidence, fewer than 97.5 % of runs reach the target; an undecided range gets more seeds, as far as the
effort allows.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil

import numpy as np

from ldp_core.experiment import PER
from ldp_core.inference.interval import MISSED, above_end, below_end, further_run, most_runs
from ldp_core.limits import EPSILON, THIN, number, percent
from ldp_core.theory.learnability import certain
from ldp_core.tuning.found import Answer, Known, More, Point, Tried
from ldp_core.tuning.question import EFFORT, LOWEST, RUNS, Cap, Question, rounded

FEW = 2
"""Number of seeds of a setting's first runs."""
RUNGS = 7
"""Number of values of ε that each range is tried with first."""
INSIDE = 3
"""Number of values of ε tried at once within a bracket."""
HOPEFUL = 2.5
"""Factor on the best range's estimated least ε up to which other ranges are still searched."""
CHECKED = MISSED / 2
"""Share of further runs that may lie below the end once there are fresh seeds."""
UNSURE = "by its fresh seeds alone it is not sure: "
MOST_RUNS = 1200
"""Largest number of runs at the usual effort."""


def next_points(question: Question, known: Known) -> list[Point]:
    """Points to train next; empty once the answer is known and checked."""
    if wanted := _searched(question, known):
        return wanted
    chosen, _ = _chosen(question, known)
    if chosen is None:
        return _settling(question, known) if _may(question, known) else []
    more = range(question.seeds, 2 * question.seeds) if _may(question, known) and not chosen.confirmed else ()
    wanted = [Point(chosen.half, chosen.epsilon, seed) for seed in more] or _fresh(question, chosen)
    return [point for point in wanted if point not in known]


def _searched(question: Question, known: Known) -> list[Point]:
    first = [Point(half, None, s) for half in question.ranges for s in range(FEW)]
    first += [Point(h, e, s) for h in question.ranges for e in ladder(question, h) for s in range(FEW)]
    if missing := [point for point in first if point not in known]:
        return missing
    if not question.ranges or not _may(question, known):
        return []
    wanted = [(h, e) for h in _race(question, known) for e in _wanted(question, known, h)]
    return [
        point
        for half, epsilon in wanted
        for s in range(question.seeds)
        if (point := Point(half, epsilon, s)) not in known
    ]


def _may(question: Question, known: Known) -> bool:
    return len(known) < MOST_RUNS * question.effort


def _settling(question: Question, known: Known) -> list[Point]:
    """Points that decide on ranges without a successful setting, and seeds for undecided settings."""
    found = []
    wanted = [(half, epsilon) for half in question.ranges for epsilon in _hopes(question, known, half)]
    wanted += [(one.half, one.beyond) for one in question.caps if one.uploads and one.beyond]
    for half, epsilon in wanted:
        one = _at(question, known, half, epsilon)
        runs = question.seeds if one is None else 2 * one.runs if one.open else 0
        if runs <= RUNS * question.effort * question.seeds:
            found += [Point(half, epsilon, seed) for seed in _deciding(question, runs)]
    return [point for point in dict.fromkeys(found) if point not in known]


def undecided(question: Question, known: Known, answer: float | None = None) -> list[Cap]:
    """Undecided identification limits that may lower `answer`; without an answer, those whose next larger ε
    may still meet the target.
    """
    found = []
    for cap in question.caps:
        if answer is not None and (cap.most or 0) >= answer:
            continue
        above = _at(question, known, cap.half, cap.beyond) if cap.beyond else None
        if cap.uploads and (above is None or above.meets or above.open):
            found.append(cap)
    return found


def _hopes(question: Question, known: Known, half: float) -> list[float]:
    """Values of ε to judge a range without success by: the largest, and that with the best first runs."""
    best = max(ladder(question, half), key=lambda rung: _first(known, half, rung))
    return sorted({best, rounded(question.most(half))})


def _deciding(question: Question, runs: int) -> list[int]:
    """The first `runs` seeds for decisions; the seeds for the report are left out."""
    return [seed + (question.seeds if seed >= 2 * question.seeds else 0) for seed in range(runs)]


def _fresh(question: Question, chosen: Tried) -> list[Point]:
    return [Point(chosen.half, chosen.epsilon, seed) for seed in _fresh_seeds(question)]


def _fresh_seeds(question: Question) -> range:
    """Seeds for the report, which have no part in the choice that they check."""
    return range(2 * question.seeds, 3 * question.seeds)


@lru_cache(maxsize=256)
def ladder(question: Question, half: float) -> tuple[float, ...]:
    """First values of ε for a range: from where the noise alone leaves nothing to the largest allowed."""
    most = question.affordable[half]
    grid = np.geomspace(min(LOWEST * 4, most / 4), most, 30)
    hopeless = [i for i, e in enumerate(grid) if certain(question.experiment(half, float(e), 0))]
    ends = grid[max(hopeless, default=0)], most
    last = rounded(question.most(half))
    rungs = map(rounded, [*np.geomspace(*ends, RUNGS).tolist(), most])
    return tuple(sorted({*(rung for rung in rungs if rung < last), last}))


def tried(question: Question, known: Known, half: float) -> list[Tried]:
    """Allowed settings of a range with enough seeds for a decision, by rising ε."""
    most = question.most(half)
    return [one for one in _decided(question, known, half) if one.epsilon <= most]


def _at(question: Question, known: Known, half: float, epsilon: float) -> Tried | None:
    return next((one for one in _decided(question, known, half) if one.epsilon == epsilon), None)


def _decided(question: Question, known: Known, half: float) -> list[Tried]:
    """Settings of a range with the first deciding seeds, or twice as many, and so on."""
    at: dict[float, dict[int, float]] = {}
    for point, accuracy in known.items():
        if point.half == half and point.epsilon is not None:
            at.setdefault(point.epsilon, {})[point.seed] = accuracy
    found = []
    for epsilon in sorted(at):
        counted, runs = list[float](), question.seeds
        while at[epsilon].keys() >= set(seeds := _deciding(question, runs)):
            counted, runs = [at[epsilon][seed] for seed in seeds], 2 * runs
        if counted:
            n, sure = len(counted), further_run(counted)
            fresh = [at[epsilon][seed] for seed in _fresh_seeds(question) if seed in at[epsilon]]
            if len(fresh) == question.seeds:
                sure = further_run(counted + fresh, CHECKED)
            mean, most, confirmed = float(np.mean(counted)), most_runs(counted), n >= 2 * question.seeds
            found.append(Tried(half, epsilon, mean, sure, most, question.accuracy, n, confirmed))
    return found


def bracket(found: Sequence[Tried]) -> tuple[Tried | None, Tried | None]:
    """The largest setting that does not meet the target, and the least above it that does."""
    fails = max((one for one in found if not one.meets), key=lambda one: one.epsilon, default=None)
    above = [one for one in found if one.meets and (fails is None or one.epsilon > fails.epsilon)]
    return fails, min(above, key=lambda one: one.epsilon, default=None)


def answer_of(question: Question, known: Known) -> Answer:
    """Current answer: least ε over all ranges, or why there is none."""
    meets, fails = _chosen(question, known)
    if meets is None:
        return Answer.none(*_in_the_way(question, known))
    above = fails.epsilon if fails else None
    why = f"the smallest ε found that reaches it is {number(meets.epsilon)}"
    why += question.called(meets.half, ", with a safe range of ")
    why += f"; ε {number(above, 6)} is not sure to" if above else ""
    if caps := [one for one in question.caps if one.half == meets.half]:
        why += f"; {leak_in_words(question, caps)}"
    fresh = [known[point] for point in _fresh(question, meets) if point in known]
    if len(fresh) < question.seeds:
        return Answer(meets.epsilon, meets.half, above, None, None, f"{why}; that is not checked yet")
    mean, sure = float(np.mean(fresh)), meets.sure
    met = sum(accuracy >= question.accuracy for accuracy in fresh)
    why = UNSURE * (further_run(fresh) < question.accuracy) + why
    why += (
        f". Of {len(fresh)} fresh seeds {met} reach {percent(question.accuracy, 1)}; by all its seeds one "
        f"more run reaches at least {percent(max(0.0, sure), 1)} with 97.5{THIN}% confidence"
    )
    return Answer(meets.epsilon, meets.half, above, mean, sure, why)


def _chosen(question: Question, known: Known) -> tuple[Tried | None, Tried | None]:
    """The least ε of all ranges that meets the target, and the largest of that range that does not."""
    found = (bracket(tried(question, known, half)) for half in question.ranges)
    sure = [(meets, fails) for fails, meets in found if meets]
    return min(sure, key=lambda pair: pair[0].epsilon, default=(None, None))


def _race(question: Question, known: Known) -> list[float]:
    """Ranges that may still have the least ε."""
    cross = {half: _crossing(question, known, half) for half in question.ranges}
    best = min((e for e in cross.values() if e is not None), default=None)
    if best is None:  # at least the one that came closest is looked at in earnest
        return [max(question.ranges, key=lambda half: _first(known, half, rounded(question.most(half))))]
    sure = [bracket(tried(question, known, half))[1] for half in question.ranges]
    least = min((one.epsilon for one in sure if one), default=np.inf)
    kept = []
    for half, epsilon in cross.items():
        fails, _ = bracket(tried(question, known, half))
        beaten = fails is not None and fails.epsilon >= least
        if epsilon is not None and epsilon <= HOPEFUL * best and not beaten:
            kept.append(half)
    return kept


def _wanted(question: Question, known: Known, half: float) -> list[float]:
    """Values of ε of a range to try next with all deciding seeds; empty once its bracket is narrow."""
    fails, meets = bracket(tried(question, known, half))
    rungs = ladder(question, half)
    if meets is None:
        start = _crossing(question, known, half) or rungs[-1]
        above = [rung for rung in rungs if rung >= start and (fails is None or rung > fails.epsilon)]
        return above[:1]
    if fails is None:
        below = [rung for rung in rungs if rung < meets.epsilon]
        lower = below[-1] if below else rounded(meets.epsilon / 2)
        return [lower] if lower >= LOWEST else []
    if meets.epsilon <= question.precision * fails.epsilon * (1 + 1e-9):
        return []
    inner = np.geomspace(fails.epsilon, meets.epsilon, INSIDE + 2)[1:-1].tolist()
    return [e for e in map(rounded, inner) if fails.epsilon < e < meets.epsilon]


def _crossing(question: Question, known: Known, half: float) -> float | None:
    """The least first value of ε from which on all seem to meet the target; None if the last does not."""
    found = None
    for rung in reversed(ladder(question, half)):
        if _first(known, half, rung) < question.accuracy:
            break
        found = rung
    return found


def _first(known: Known, half: float, epsilon: float | None) -> float:
    return float(np.mean([known[Point(half, epsilon, s)] for s in range(FEW)]))


def _in_the_way(question: Question, known: Known) -> tuple[str, More | None]:
    """Why no range meets the target, and which runs would settle it."""
    words = []
    spoken = {half: _spoken(question, known, half) for half in question.ranges}
    for half, found in spoken.items():
        clean = _first(known, half, None)
        if clean == 0:
            called = question.called(half) or "it"
            words.append(f"{called} diverges even without noise (a smaller learning rate may help)")
            continue
        words.append(
            "; ".join(_in_words(question, one) for one in found) + f" ({percent(clean, 1)} without noise)"
        )
    if question.run_budget is not None and question.ranges:
        most = max(question.affordable[half] for half in question.ranges)
        words.append(f"a run budget of {number(question.run_budget, 6)} allows no more than ε {number(most)}")
    if any(question.most(half) == EPSILON.maximum for half in question.ranges):
        base = question.base
        words.append(f"ε {number(EPSILON.maximum, 6)} {base.covers} is the largest that may be asked for")
        if base.clients.epsilon_scope != "mechanism":
            words[-1] += f" (as much may be asked for {PER[base.randomiser.scope]})"
    if question.caps:
        words.append(leak_in_words(question, question.caps))
    for cap in question.caps:
        if not (cap.uploads and cap.beyond):
            continue
        above = _at(question, known, cap.half, cap.beyond)
        if above and not (above.meets or above.open):
            reached = f"{question.called(cap.half) or 'it'} reaches {percent(above.mean, 1)}"
            words.append(f"even at ε {number(cap.beyond)}, where in more, {reached}")
    opened = [one for found in spoken.values() for one in found if one.open]
    caps = undecided(question, known)
    settled = not opened and not caps and _may(question, known)
    stopped = "" if _may(question, known) else f", after {len(known)} runs"
    ends = "; other ranges were not tried" if settled and question.called(0) else ""
    how = "is not reached surely" if settled else f"was not found to be reached surely{stopped}"
    return f"{percent(question.accuracy, 1)} {how}: {'; '.join(words)}{ends}", _more(
        question, known, opened, caps
    )


def _spoken(question: Question, known: Known, half: float) -> list[Tried]:
    hopes = _hopes(question, known, half)
    found = [one for one in tried(question, known, half) if one.epsilon in hopes]
    return [one for one in found if one.open] or sorted(found, key=lambda one: one.mean)[-1:]


def _in_words(question: Question, one: Tried) -> str:
    """Sentence on a setting that does not meet the target."""
    at = f"at ε {number(one.epsilon)}, in {one.runs} runs"
    words = f"{question.called(one.half) or 'it'} reaches {percent(one.mean, 1)} on average {at}"
    if one.mean < one.accuracy and not one.open:
        return words
    how = "and it is open whether" if one.open else "but fewer than"
    return f"{words}, {how} 97.5{THIN}% of runs reach {percent(one.accuracy, 1)}"


def _more(question: Question, known: Known, opened: Iterable[Tried], caps: Iterable[Cap]) -> More | None:
    """Runs that would settle the question; None if even the largest effort would not."""
    effort, runs, uploads = question.effort, 0, 0.0
    for one in opened:
        needed = _enough(one, RUNS * EFFORT.maximum * question.seeds)
        if needed is not None:
            runs += needed - one.runs
            effort = max(effort, ceil(needed / (RUNS * question.seeds)))
    for cap in caps:
        if cap.effort <= EFFORT.maximum:
            uploads += cap.uploads
            effort = max(effort, ceil(cap.effort))
    if not _may(question, known):
        effort = max(effort, 2 * question.effort)
        runs += MOST_RUNS * (effort - question.effort)
    return (
        More(effort, runs, ceil(uploads)) if effort > question.effort and effort <= EFFORT.maximum else None
    )


def _enough(one: Tried, most: float) -> int | None:
    """Runs, by doubling, that would decide a setting if mean and spread stay; None above `most`."""
    runs, spread = 2 * one.runs, (one.mean - one.most) / above_end(one.runs)
    while runs <= most:
        if not one.mean - below_end(runs) * spread < one.accuracy <= one.mean - above_end(runs) * spread:
            return runs
        runs *= 2
    return None


def leak_in_words(question: Question, caps: Iterable[Cap]) -> str:
    """Largest ε of each range under the limit on identification, in words."""
    words = []
    for one in caps:
        ends = f"up to ε {number(one.most, 6)}" if one.most else "at no ε that was tried"
        ends += question.called(one.half, " with ")
        if one.above:
            ends += f" (at ε {number(one.above, 6)} {'it is open' if one.uploads else 'in more'})"
        words.append(ends)
    return (
        f"with 97.5{THIN}% confidence an attacker picks the right image, of ten, in at most "
        f"{percent(question.identification or 0.0, 1)} of single uploads {', '.join(words)}"
    )
