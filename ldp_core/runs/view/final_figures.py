"""Final figures of runs: accuracy, ε of the whole run, identification; how far two variants are apart."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.accounting import AGAINST, Entry, Promise, entries, entries_in
from ldp_core.events.run import unpacked
from ldp_core.experiment import Experiment, plan
from ldp_core.inference import Difference, Spread, difference, spread
from ldp_core.presets.questions import CompletedRun
from ldp_core.runs.view.attack_curve import verdict_on
from ldp_core.runs.view.run_curves import RunProgress, by_variant, common

MOST_POINTS = 32
"""Largest number of points of a curve in lists."""


@dataclass(frozen=True)
class Final:
    label: str
    seeds: int
    accuracy: float | None
    """Mean over completed seeds; None without any, or where a seed diverged."""
    epsilon: float | None = None
    """Worst-case ε of the whole run for the client with the weakest guarantee; None without a bound."""
    delta: float = 0.0
    hits: float = 0.0
    """Identifications from one-image uploads, a tie of k candidates counting 1/k, in so many …"""
    attempts: int = 0
    chance: float = 0.0
    """… and success rate of guessing; 0 without attempts."""
    curve: tuple[float, ...] = ()
    """Accuracy over rounds, thinned."""
    answer: str = ""
    """Result of a sweep, a search or an attack grid in a few words."""
    against: str = "server"
    """What the adversary sees whom ε holds against: a key of `accounting.AGAINST`."""
    unit: str = "client"
    """Whose secret ε covers, as in `accounting.Entry`."""

    @property
    def whom(self) -> str:
        """The adversary in words, and that ε is for a row, if it is."""
        return AGAINST[self.against] + (", for one record of a client" if self.unit == "record" else "")

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def finals(runs: Iterable[RunProgress]) -> list[Final]:
    """Final figures of a job's variants, in order, without the noise-free reference."""
    return [final(found) for number, found in sorted(by_variant(runs).items()) if number >= 0]


def final(runs: Sequence[RunProgress]) -> Final:
    ended = [run.end for run in runs if run.end and run.status == "completed"]
    lost = any(run.status == "diverged" for run in runs)
    accuracy = float(np.mean([end["accuracy"] for end in ended])) if ended and not lost else None
    hits, attempts, chance = identified(runs)
    stored = (run.end["ledger"] for run in runs if run.end and run.end.get("ledger"))  # of lost ones too
    promised = _promised(next(map(entries_in, stored), ()))
    found: dict[str, Any] = {"hits": hits, "attempts": attempts, "chance": chance, "curve": _thinned(runs)}
    seeds = len(runs) if accuracy is None else len(ended)
    return Final(runs[0].label, seeds, accuracy, **found, **promised)


def _thinned(runs: Sequence[RunProgress]) -> tuple[float, ...]:
    table = common(runs, "accuracy")
    if len(table) < len(runs):
        return ()
    rounds = table.shape[1]
    places = np.unique(np.linspace(0, rounds - 1, min(rounds, MOST_POINTS)).astype(int))
    return tuple(round(mean, 4) for mean in table[:, places].mean(0).tolist() if math.isfinite(mean))


def found(answer: str, experiment: Experiment | None = None, accuracy: float | None = None) -> dict[str, Any]:
    """Final figures of a job that trains no runs of its own: a sentence, and the ε of what it found."""
    promised = _promised(entries(plan(experiment)) if experiment else ())
    return Final("", 0, accuracy, answer=answer, **promised).as_json()


def weakest(ledger: Sequence[Entry]) -> Promise:
    """Whole-run guarantee of the client who is promised least."""
    lines = (entry.run_worst for entry in ledger)
    return max(lines, key=lambda line: (line.bound, line.delta), default=Promise())


def _promised(ledger: Sequence[Entry]) -> dict[str, Any]:
    most = weakest(ledger)
    bound = {"epsilon": most.bound, "delta": most.delta} if math.isfinite(most.bound) else {}
    return {"against": ledger[0].against, "unit": ledger[0].unit, **bound} if ledger else {}


def identified(runs: Iterable[RunProgress]) -> tuple[float, int, float]:
    """Over clients, seeds and rounds: identified uploads, attempts, and the success rate of guessing."""
    found = [one.identified() for run in runs for (kind, _), one in run.tries.items() if kind == "audit"]
    hits, attempts, chances = zip(*found, strict=True) if found else ((), (), ())
    return sum(hits), sum(attempts), max(chances, default=0.0)


def results(runs: Iterable[RunProgress]) -> list[CompletedRun]:
    """Figures of completed runs, which questions of scenarios are answered from."""
    return [_result(run) for run in runs if run.status == "completed"]


def _result(run: RunProgress) -> CompletedRun:
    tried = [one for one in run.tries.values() if one.closest]
    audits = [(one, one.closest or {}) for one in tried if one.upload == "audit"]
    real = [(one.closest or {}).get("recovered") or 0 for one in tried if one.upload == "real"]
    kinds = [verdict_on(*pair).kind for pair in audits]
    ledger = entries_in((run.end or {}).get("ledger", ()))
    return CompletedRun(
        label=run.label,
        seed=run.seed,
        accuracy=run.curves["accuracy"][-1],
        per_class=tuple(run.last.get("accuracy_per_class", ())),
        permissive=run.last.get("client_weights", {}).get("permissive", 0.0),
        noise=float(np.mean(run.curves["noise_variance"][1:])),
        verdict=next((kind for kind in ("recovered", "inconclusive", "partly", *kinds) if kind in kinds), ""),
        psnr=float(np.median([db for one, _ in audits for db in one.psnr[None][:]])) if audits else None,
        alike=max((event["ncc"] for _, event in audits), default=None),
        picked=identified([run]),
        added_up=ledger[0].run_worst.sum if ledger else None,
        back=float(np.mean(real)) if real else None,
    )


def apart(
    one: Sequence[RunProgress], other: Sequence[RunProgress], of: Sequence[Sequence[RunProgress]] = ()
) -> Difference:
    """Difference of two variants' final accuracy over common seeds, paired by held-out sample where recorded;
    `of`: all variants among which these two were picked because they differ most.
    """
    pairs = [(a, b) for a in one for b in other if a.seed == b.seed and a.status == b.status == "completed"]
    runs = [[pair[side] for pair in pairs] for side in (0, 1)]
    first, second = ([run.curves["accuracy"][-1] for run in side] for side in runs)
    mine, theirs = map(_right, runs)
    right = None
    if mine is not None and theirs is not None and mine.shape == theirs.shape:
        right = mine, theirs
    held_out = pairs[0][0].end.get("held_out", 0) if pairs and pairs[0][0].end else 0
    return difference(first, second, right, max(1, len(of) * (len(of) - 1) // 2), _spread(of), held_out)


def same_model(each: Sequence[Sequence[RunProgress]]) -> bool:
    """Whether all variants end with the same weights, as attacks do not affect training."""
    sums = [tuple((run.end or {}).get("weights_sha256") for run in runs) for runs in each]
    return len(sums) > 1 and len(set(sums)) == 1 and all(sums[0])


def _spread(of: Sequence[Sequence[RunProgress]]) -> Spread | None:
    """Pooled spread of variants that have all completed the same seeds; else None."""
    ends = [
        {run.seed: run.curves["accuracy"][-1] for run in runs if run.status == "completed"} for runs in of
    ]
    if not ends or any(one.keys() != ends[0].keys() for one in ends):
        return None
    return spread([[one[seed] for seed in sorted(one)] for one in ends])


def _right(runs: Sequence[RunProgress]) -> NDArray[np.bool_] | None:
    """(S, n): whether each of S runs named each of n held-out samples right; None if not recorded."""
    ends: list[dict[str, Any]] = [run.end or {} for run in runs]
    counts = {end.get("held_out", 0) for end in ends}
    if len(counts) != 1 or not all(end.get("right") for end in ends):
        return None
    return np.stack([unpacked(end["right"], end["held_out"]) for end in ends])
