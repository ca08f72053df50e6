"""Statements of scenarios, with checks on the results of runs.

Orders are judged by the interval over seeds; statements on single runs hold if they hold in all, and are
contradicted if they hold in none. Pages show the statement or what the runs show instead.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from itertools import combinations, pairwise
from math import hypot
from typing import Any, Concatenate, ParamSpec

import numpy as np

from ldp_core.accounting import Scope, entries_in, entry_of
from ldp_core.attacks.findings.metrics import wilson
from ldp_core.errors import listed
from ldp_core.judgement import Outcome, at_chance, judged, together
from ldp_core.limits import at_most, percent, spelled
from ldp_core.paired import difference
from ldp_core.presets.evidence import Evidence, Missing

P = ParamSpec("P")


@dataclass(frozen=True)
class Found:
    """Outcome of a statement, and what the runs show, as the end of “In these runs …”."""

    outcome: Outcome
    shows: str


Check = Callable[[Evidence], Found]


@dataclass(frozen=True)
class Sentence:
    """One sentence of a scenario; without a check it mentions no figure and no order."""

    text: str
    check: Check | None = None

    def found(self, evidence: Evidence) -> Found | None:
        """Outcome of the statement in these runs; None if they do not decide it."""
        if self.check is None:
            return Found("holds", "")
        try:
            return self.check(evidence)
        except Missing:
            return None


Lesson = tuple[Sentence, ...]


def in_words(sentences: Lesson, evidence: Evidence) -> str:
    """Sentences of a scenario as these runs support them, replaced by the results where they do not."""
    parts = []
    for one in sentences:
        found = one.found(evidence)
        if found is not None:
            rest = "" if found.outcome == "contradicted" else f": {found.outcome}"
            parts.append(one.text if found.outcome == "holds" else f"In these runs {found.shows}{rest}.")
    return " ".join(dict.fromkeys(parts))


def a_check(look: Callable[Concatenate[Evidence, P], Found]) -> Callable[P, Check]:
    """Maker of checks, from a function that looks at the evidence with a check's parameters."""
    return wraps(look)(lambda *given, **named: lambda evidence: look(evidence, *given, **named))


@a_check
def ranked(evidence: Evidence, *labels: str, by: float = 0.0) -> Found:
    """Check: each variant is more accurate than the next, by more than `by`."""
    table = _accuracies(evidence, labels)
    shows, chance = _ends(labels, table), evidence.of(labels[0])[0][0].chance
    if all(at_chance(float(row.mean()), chance) for row in table):
        return Found("nothing learns", shows)
    gaps = [difference(*pair) for pair in pairwise(table)]
    return Found(together(judged(gap.low - by, gap.high - by) for gap in gaps), shows)


@a_check
def alike(evidence: Evidence, *labels: str, within: float) -> Found:
    table = _accuracies(evidence, labels)
    gaps = [difference(*pair) for pair in combinations(table, 2)]
    rooms = [(within - abs(gap.low), within - abs(gap.high), gap.low <= 0 <= gap.high) for gap in gaps]
    closer = together(judged(min(ends), within if around else max(ends), 0.0) for *ends, around in rooms)
    return Found(closer, _ends(labels, table))


@a_check
def reaches(evidence: Evidence, label: str, low: float = 0.0, high: float = 1.0) -> Found:
    """Check: a variant's accuracy lies in [low, high] with each seed."""
    table = _accuracies(evidence, [label])
    return _within(table[0], low, high, _ends([label], table))


@a_check
def diverges(evidence: Evidence, label: str) -> Found:
    wild = sum(1 for one, _ in evidence.diverged if one == label)
    try:
        tame = len(evidence.of(label)[0])
    except Missing:
        tame = 0
    if not wild + tame:
        raise Missing(f"{label} has not ended")
    shows = f"{tame} of {wild + tame} runs of {label} stay within the numbers"
    return Found(_with_each([True] * wild + [False] * tame), shows)


@a_check
def times_the_noise(
    evidence: Evidence, noisy: str, quiet: str, low: float, high: float, added_up: bool = False
) -> Found:
    """Check: the first variant has between `low` and `high` times the noise variance of the second, per
    round; with `added_up`, of the second's sum over all rounds.
    """
    loud, soft = (np.array([one.noise.mean() for one in runs]) for runs in evidence.of(noisy, quiet))
    rounds = len(evidence.of(quiet)[0][0].noise) if added_up else 1
    ratio = loud / np.maximum(rounds * soft, 1e-300)
    over = " over all rounds" if added_up else ""
    return _within(
        ratio, low, high, f"{noisy} has {_times(ratio.mean())} the noise variance of {quiet}{over}"
    )


@a_check
def names(
    evidence: Evidence, label: str, classes: Sequence[int], low: float = 0.0, high: float = 1.0
) -> Found:
    """Check: the mean accuracy of a variant on these classes lies in [low, high] with each seed."""
    (runs,) = evidence.of(label)
    shares = np.array([np.mean([one.per_class[c] for c in classes]) for one in runs])
    shows = f"{label} names {percent(shares.mean())} of the digits {classes[0]} to {classes[-1]} right"
    return _within(shares, low, high, shows)


@a_check
def listens(evidence: Evidence, label: str, low: float = 0.0, high: float = 1.0) -> Found:
    """Check: the total aggregation weight of the permissive clients lies in [low, high] with each seed."""
    (runs,) = evidence.of(label)
    shares = np.array([one.permissive for one in runs])
    shows = f"{label} gives {percent(shares.mean())} of the weight to the permissive clients"
    return _within(shares, low, high, shows)


@a_check
def recovers(
    evidence: Evidence, label: str, clients: Sequence[int] | None = None, back: bool = True
) -> Found:
    """Check: every one-image upload was recovered (or none, in any round), by an attack that succeeds without
    noise.
    """
    tried = evidence.attempts(label, "audit", clients)
    kinds = [one.verdict for one in tried]
    count, top = kinds.count("recovered"), max(float(one.psnr.max()) for one in tried)
    shows = f"{count} of {len(kinds)} images came back ({label}; at best {top:.0f} dB)"
    each = _with_each((kind == "recovered") == back for kind in kinds)
    return Found("cannot tell" if "inconclusive" in kinds else each, shows)


keeps = partial(recovers, back=False)


@a_check
def returns(evidence: Evidence, label: str, low: float = 0.0, high: float = 1.0) -> Found:
    """Check: the share of images recovered from real uploads, in each one's best round, is in [low, high]."""
    tried = evidence.attempts(label, "real")
    back, n = sum(one.recovered for one in tried), sum(one.images for one in tried)
    shows = f"{back} of {n} images of real uploads came back ({label})"
    return _within([one.recovered / one.images for one in tried], low, high, shows)


@a_check
def blurred(evidence: Evidence, label: str, below: float) -> Found:
    """Check: the median PSNR of attempts on one-image uploads is below a number of dB."""
    middles = _medians(evidence, label)
    return Found(_with_each(middles < below), f"the usual attempt on {label} gets {middles.mean():.0f} dB")


@a_check
def clearer(evidence: Evidence, *labels: str, by: float) -> Found:
    """Check: the median PSNR rises from each variant to the next by at least `by` dB."""
    middles = np.array([_medians(evidence, label) for label in labels])
    shows = "the usual attempt gets " + listed(
        f"{each.mean():.0f} dB ({label})" for label, each in zip(labels, middles, strict=True)
    )
    return Found(_with_each(np.all(np.diff(middles, axis=0) >= by, axis=0).tolist()), shows)


@a_check
def picks(evidence: Evidence, label: str) -> Found:
    """Check: identification over all attempts is more frequent than guessing explains."""
    hits, n, chance = _picked(evidence, label)
    shows = f"the server picks the right image {hits:.0f} of {n} times ({label}; guessing: {chance * n:.0f})"
    low, high = wilson(hits, n)
    return Found(judged(low - chance, high - chance), shows)


@a_check
def picks_more(evidence: Evidence, more: str, fewer: str, clients: Sequence[int] | None = None) -> Found:
    """Check: over all attempts, identification is more frequent under the first variant than the second."""
    tallies = [_picked(evidence, label, clients) for label in (more, fewer)]
    shares = [hits / n for hits, n, _ in tallies]
    reach = [np.abs(np.array(wilson(hits, n)) - hits / n) for hits, n, _ in tallies]
    shows = f"the server picks the right image {percent(shares[0])} of the time under {more}, and "
    shows += f"{percent(shares[1])} under {fewer}"
    apart, (one, other) = shares[0] - shares[1], reach  # the interval: Newcombe 1998, method 10
    return Found(judged(apart - hypot(one[0], other[1]), apart + hypot(one[1], other[0])), shows)


@a_check
def budget(evidence: Evidence, label: str, scope: Scope, low: float, high: float) -> Found:
    """Check: the first client's ε in a scope of the ledger by basic composition lies in [low, high]."""
    lines = [entry_of(one.ledger, 0)[scope] for one in evidence.of(label)[0] if one.ledger]
    if not lines:
        raise Missing(f"{label} has no ledger")
    sums = [line.sum for line in lines]
    words = {"coordinate": "for each weight", "upload": "for an upload"}.get(scope, "for the run")
    return _within(sums, low, high, f"the budgets of {label} add up to ε {at_most(max(sums), 4)} {words}")


@a_check
def costs(
    evidence: Evidence, *labels: str, epsilon: float, within: float, scope: Scope = "run_worst"
) -> Found:
    """Check: every client's worst-case ε of a run (or `scope`) is `epsilon`, up to a share `within`."""
    outcomes = [one for runs in evidence.of(*labels) for one in runs if one.ledger]
    if not outcomes:
        raise Missing(f"{', '.join(labels)} have no ledger")
    what = "run" if scope.startswith("run") else scope
    bounds = np.array([entry[scope].bound for one in outcomes for entry in entries_in(one.ledger)])
    if not np.isfinite(bounds).all():
        return Found("contradicted", f"a client's {what} is bounded by nothing")
    least, most = (at_most(end, 4) for end in (bounds.min(), bounds.max()))
    shows = f"a client's {what} costs between ε {least} and ε {most} at worst"
    near = (np.abs(bounds - epsilon) <= within * epsilon).all()
    return Found("holds" if near else "contradicted", shows)


@a_check
def both(evidence: Evidence, *checks: Check) -> Found:
    """Check: all of these checks hold; results of failed ones are shown."""
    found = [one(evidence) for one in checks]
    failed = dict.fromkeys(one.shows for one in found if one.outcome != "holds")
    return Found(together(one.outcome for one in found), "; ".join(failed))


def every(checks: Iterable[Check]) -> Check:
    return both(*checks)


def _picked(evidence: Evidence, label: str, clients: Sequence[int] | None = None) -> tuple[float, int, float]:
    """Number of identifications, of attempts, and the success rate of guessing."""
    tried = [one for one in evidence.attempts(label, "audit", clients) if one.n]
    if not tried:
        raise Missing(f"nothing was picked out for {label}")
    return sum(one.hits for one in tried), sum(one.n for one in tried), tried[0].chance


def _with_each(flags: Iterable[Any]) -> Outcome:
    """Outcome of a statement from its truth in each run, client or image."""
    every = [bool(flag) for flag in flags]
    return "holds" if all(every) else "cannot tell" if any(every) else "contradicted"


def _within(values: Iterable[float], low: float, high: float, shows: str) -> Found:
    return Found(_with_each(low <= value <= high for value in values), shows)


def _medians(evidence: Evidence, label: str) -> np.ndarray:
    """Median PSNR in dB of attempts on one-image uploads, (seeds,)."""
    found = [Evidence([one]).attempts(label, "audit") for one in evidence.of(label)[0]]
    return np.array([np.median(np.concatenate([one.psnr for one in tried])) for tried in found])


def _accuracies(evidence: Evidence, labels: Sequence[str]) -> np.ndarray:
    """Final accuracies, (variants, seeds)."""
    return np.array([[one.accuracy for one in runs] for runs in evidence.of(*labels)])


def _ends(labels: Sequence[str], table: np.ndarray) -> str:
    return listed(f"{label} ends at {percent(row.mean())}" for label, row in zip(labels, table, strict=True))


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 10 else f"{spelled(round(ratio))} times"
