"""Measurement of arms, with all their seeds; figures are yielded once they are known."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.datasets import Data
from ldp_core.errors import InvalidInput
from ldp_core.events import Attacked, Ended, Event, RoundDone, Started
from ldp_core.papers.arms import Arm, Computed, Leaking, Timed, Trained
from ldp_core.papers.base import Claim
from ldp_core.papers.stored import Figure, Shelf, read, write
from ldp_core.papers.verdict import verdict

if TYPE_CHECKING:
    from ldp_core.federated.state import State

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
        for label in {label for one, part in parts if part.outcome == "cannot tell" for label in one.arms}:
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


def measure(asked: Sequence[Asked], load: Callable[[str], Data]) -> Iterator[Figure]:
    """Figures of arms and seeds, in about the given order; short runs are trained together."""
    for some in together(asked):
        for arm, seed in some:
            if isinstance(arm, Computed):
                began, value = time.perf_counter(), arm.measure(seed)
                yield _figure(arm, seed, value, "completed", time.perf_counter() - began)
            elif isinstance(arm, Leaking | Timed):
                yield _alone(arm, seed, load)
        yield from _train([(a, s) for a, s in some if isinstance(a, Trained) and type(a) is Trained], load)


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


def keep(path: Path, *figures: Figure) -> None:
    """Store figures in a file durably, replacing older ones with the same keys."""
    every = {one.key: one for one in (*read(path), *figures)}
    write(path, sorted(every.values(), key=lambda one: (str(one.setting), one.seed)))


def alike(one: Figure, other: Figure) -> bool:
    """Whether two runs came out equal bit for bit, in all that both have measured."""
    both = one.also.keys() & other.also.keys()
    first, second = (
        (f.value, f.status, [*f.curve], f.noise, f.size, {k: f.also[k] for k in both}) for f in (one, other)
    )
    return first == second


def _figure(arm: Arm, seed: int, value: float | None, status: str, seconds: float, **more: Any) -> Figure:
    today, took = datetime.now(UTC).date().isoformat(), round(seconds, 3)
    return Figure(arm.key(seed), seed, value, status, took, arm.version, today, arm.setting, **more)


class _Run:
    def __init__(self, arm: Trained, seed: int) -> None:
        self.arm, self.seed = arm, seed
        self.started: Started | None = None
        self.rounds: list[RoundDone] = []
        self.back: list[bool] = []

    def figure(self, said: Event | InvalidInput, seconds: float) -> Figure | None:
        """Figure of the run after its last event, else None; `seconds` is its share of the batch's time."""
        if isinstance(said, Started):
            self.started = said
        elif isinstance(said, RoundDone):
            self.rounds.append(said)
        elif isinstance(said, Attacked) and said.upload == "audit" and said.control is None:
            self.back.append(said.psnr >= RECOVERED_DB)
        elif isinstance(said, InvalidInput):
            return _figure(self.arm, self.seed, None, str(said), seconds)
        elif isinstance(said, Ended):
            done = said.status == "completed"
            status, value = ("completed", said.accuracy) if done else (said.message or said.status, None)
            return _figure(self.arm, self.seed, value, status, seconds, **self._facts(said))
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
        }


def _alone(arm: Leaking | Timed, seed: int, load: Callable[[str], Data]) -> Figure:
    """Figure of a run by itself, with its identification rate, or its CPU time without loading and
    compilation.
    """
    from ldp_core.leakage.over_rounds import picked  # torch
    from ldp_core.simulate import simulate

    experiment, run = arm.experiment(seed), _Run(arm, seed)
    states: list[State] = []
    data, figure, began, clock = load(experiment.dataset), None, time.perf_counter(), 0.0
    for said in simulate(experiment, data, keep=states.append if isinstance(arm, Leaking) else None):
        clock = time.process_time() if isinstance(said, Started) else clock
        figure = run.figure(said, time.perf_counter() - began) or figure
    spent = (time.process_time() - clock) / experiment.rounds
    if figure is None:
        raise RuntimeError(f"the run “{arm.label}” ended without an end")
    if isinstance(arm, Timed):
        return replace(figure, also={**figure.also, "processor": round(spent, 3)})
    if figure.value is None:
        return figure
    shares = picked(experiment, data, states[:-1], arm.images)
    rates = {f"identified_{name}" if name else "identified": one.value for name, one in shares.items()}
    also = {**figure.also, **rates, "trials": float(shares[None].trials)}
    return replace(figure, also=also, seconds=round(time.perf_counter() - began, 3))


def _train(asked: Sequence[tuple[Trained, int]], load: Callable[[str], Data]) -> Iterator[Figure]:
    from ldp_core.many import run_many  # torch, only where something is trained

    runs = {number: _Run(arm, seed) for number, (arm, seed) in enumerate(asked)}
    experiments = {number: run.arm.experiment(run.seed) for number, run in runs.items()}
    data = {name: load(name) for name in dict.fromkeys(one.dataset for one in experiments.values())}
    began = time.perf_counter()
    for number, said in run_many(experiments.items(), data):
        figure = runs[number].figure(said, (time.perf_counter() - began) / max(1, len(runs)))
        if figure:
            yield figure
