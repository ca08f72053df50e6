"""Measurement of arms, with all their seeds; figures are yielded once they are known."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from math import isclose
from pathlib import Path
from typing import Any

from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.errors import InvalidInput
from ldp_core.events import Attacked, Ended, Event, RoundDone, Started
from ldp_core.papers.arms import Arm, Load
from ldp_core.papers.base import Claim
from ldp_core.papers.statements import operand
from ldp_core.papers.stored import Shelf, StoredFigure, read, write
from ldp_core.papers.verdict import verdict

TOGETHER = 12
"""Largest number of runs trained together."""
LONG = 5e10
"""Multiplications (about 15 s) after which a batch takes no more runs; a stop loses the whole batch."""
HOUR = 3600.0
"""CPU seconds of a claim after which no further seeds are added."""

Asked = tuple[Arm, int]


def left(claims: Iterable[Claim], known: Shelf, seeds: int | None = None, fresh: bool = False) -> list[Asked]:
    """Measurements that are missing, or all with `fresh`, seed by seed; by default with the claim's seeds."""
    asked: dict[str, tuple[int, Arm]] = {}
    for claim in claims:
        for seed in range(seeds or claim.seeds):
            for arm in claim.measured:
                stored = known.figures.get(arm.key(seed))
                if fresh or stored is None or stored.version != arm.version:
                    asked.setdefault(arm.key(seed), (seed, arm))
    return [(arm, seed) for seed, arm in sorted(asked.values(), key=lambda one: one[0])]


def further(claim: Claim, known: Shelf) -> list[Asked]:
    """More seeds for the arms of undecided statements, in every reading: as many as the claim allows and as
    fit into an hour of CPU time.
    """
    each = list(claim.read_each.values())
    taken = (known.figures.get(key) for one in each for arm in one.measured for key in arm.keys)
    spent = math.fsum({one.key: one.seconds for one in taken if one}.values())
    wanted: dict[str, tuple[int, Arm, float]] = {}
    for made in each:
        parts = zip(made.statements, verdict(made, known).parts, strict=False)
        undecided = {name for one, part in parts if part.outcome == "cannot tell" for name in one.operands}
        for label in {operand(name, "")[0] for name in undecided}:
            arm, here = made.arm(label), known.of_arm(made, label)
            seconds = math.fsum(one.seconds for one in here.values()) / max(1, len(here))
            wanted |= {arm.key(seed): (seed, arm, seconds) for seed in range(len(here), claim.most)}
    asked: list[Asked] = []
    for seed, arm, seconds in sorted(wanted.values(), key=lambda one: (one[0], one[1].label)):
        spent += seconds
        if spent > HOUR:
            break
        asked.append((arm, seed))
    return asked


def measure(asked: Sequence[Asked], load: Load) -> Iterator[StoredFigure]:
    """Figures of arms and seeds, in about the given order; short runs are trained together."""
    for some in together(asked):
        for arm, seed in some:
            if arm.program is not None:
                began, found = time.perf_counter(), arm.program(arm.experiment(seed), load)
                result = found if isinstance(found, Mapping) else {"value": float(found)}
                yield _figure(arm, seed, time.perf_counter() - began, result)
        yield from _train([(arm, seed) for arm, seed in some if arm.program is None], load)


def together(asked: Sequence[Asked]) -> Iterator[list[Asked]]:
    """Batches of measurements, in order: short runs by the dozen, long ones alone."""
    some, work = [], 0.0
    for arm, seed in asked:
        one = arm.work()
        some.append((arm, seed))
        work += one.products + one.convolutions + one.chains
        if len(some) == TOGETHER or work >= LONG:
            yield some
            some, work = [], 0.0
    if some:
        yield some


def keep(path: Path, *figures: StoredFigure) -> None:
    """Store figures in a file durably, replacing older ones with the same keys."""
    every = {one.key: one for one in (*read(path), *figures)}
    write(path, sorted(every.values(), key=lambda one: (str(one.setting), one.seed)))


def alike(one: StoredFigure, other: StoredFigure) -> bool:
    """Whether two runs came out equal bit for bit, in all that both have measured; the noise's size, which
    other processors add up in another order, to its twelfth digit.
    """
    both = one.also.keys() & other.also.keys()
    first, second = (
        (f.value, f.status, [*f.curve], f.size, {k: f.also[k] for k in both}) for f in (one, other)
    )
    return first == second and isclose(one.noise or 0.0, other.noise or 0.0, rel_tol=1e-12)


def _figure(arm: Arm, seed: int, seconds: float, result: Mapping[str, Any]) -> StoredFigure:
    today, took = datetime.now(UTC).date().isoformat(), round(seconds, 3)
    made_with = f"Python {platform.python_version()}, numpy {version('numpy')}, torch {version('torch')}"
    own = {"value": None, "status": "completed", "made_with": made_with, **result}
    return StoredFigure(
        key=arm.key(seed),
        seed=seed,
        seconds=took,
        version=arm.version,
        date=today,
        setting=arm.setting,
        **own,
    )


class FigureListener:
    """Listens to a run's events for the fields of its figure."""

    def __init__(self) -> None:
        self.started: Started | None = None
        self.rounds: list[RoundDone] = []
        self.back: list[bool] = []

    def hear(self, said: Event | InvalidInput) -> dict[str, Any] | None:
        """Fields of the figure after the run's last event, else None."""
        if isinstance(said, Started):
            self.started = said
        elif isinstance(said, RoundDone):
            self.rounds.append(said)
        elif isinstance(said, Attacked) and said.upload == "audit" and said.control is None:
            self.back.append(said.psnr >= RECOVERED_DB)
        elif isinstance(said, InvalidInput):
            return {"status": str(said)}
        elif isinstance(said, Ended):
            done = said.status == "completed"
            status, value = ("completed", said.accuracy) if done else (said.message or said.status, None)
            return {"value": value, "status": status, **self._facts(said)}
        return None

    def _facts(self, end: Ended) -> dict[str, Any]:
        """Further figures of the run, and those of its system or attack in `also`."""
        begun, rounds = self.started, self.rounds
        unlike = [one.heterogeneity for one in rounds if one.heterogeneity is not None]
        last = rounds[-1] if rounds else None
        also = {
            "heterogeneity": math.fsum(unlike) if unlike else None,
            "own_mix": last and last.accuracy_own_mix,
            "extended": max(last.accuracy_per_client) if last and last.accuracy_per_client else None,
            "recovered": sum(self.back) / len(self.back) if self.back else None,
            "unnoised": end.accuracy_unnoised,
        }
        curve = [one.accuracy for one in (begun, *rounds) if one]
        return {
            "device": begun.device if begun else "cpu",
            "chance": begun and begun.chance,
            "curve": tuple(round(one, 4) for one in curve),
            "noise": math.sqrt(sum(one.noise_variance for one in rounds) / len(rounds)) if rounds else None,
            "size": math.sqrt(last.signal_variance) if last else None,
            "also": {name: one for name, one in also.items() if one is not None},
            "weights": (end.weights_sha256 or "")[:16],
        }


def _train(asked: Sequence[Asked], load: Load) -> Iterator[StoredFigure]:
    if not asked:
        return
    from ldp_core.many import run_many  # torch, only where something is trained

    runs = [FigureListener() for _ in asked]
    experiments = dict(enumerate(arm.experiment(seed) for arm, seed in asked))
    data = {name: load(name) for name in dict.fromkeys(one.dataset for one in experiments.values())}
    began = time.perf_counter()
    for number, said in run_many(experiments.items(), data):
        if (result := runs[number].hear(said)) is not None:
            yield _figure(*asked[number], (time.perf_counter() - began) / len(runs), result)
