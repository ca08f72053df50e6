"""Measurement of arms, with all their seeds; figures are yielded once they are known."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

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
"""Number of multiplications (about 15 s) after which a batch takes no more runs, since a stop loses the whole
batch.
"""

HOUR = 3600.0
"""CPU seconds of a claim after which no further seeds are added."""

Asked = tuple[Arm, int]
"""An arm and a seed."""


def left(claims: Iterable[Claim], known: Shelf, seeds: int | None = None, fresh: bool = False) -> list[Asked]:
    """Measurements that are missing, seed by seed; all with `fresh`.

    Args:
        claims: claims whose arms count; an arm of several claims is measured once.
        known: known figures.
        seeds: number of seeds per arm; by default the claim's.
        fresh: include known measurements.
    """
    asked: dict[str, tuple[int, Arm]] = {}
    for claim in claims:
        for seed in range(seeds or claim.seeds):
            for arm in claim.measured:
                stored = known.figures.get(arm.key(seed))
                if fresh or stored is None or stored.version != arm.version:
                    asked.setdefault(arm.key(seed), (seed, arm))
    return [(arm, seed) for seed, arm in sorted(asked.values(), key=lambda one: one[0])]


def further(claim: Claim, known: Shelf) -> list[Asked]:
    """Measurements with more seeds for the arms of undecided statements, in every reading: as many as the
    claim allows and as fit into an hour of CPU time.
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
    """Figures of arms and seeds, in about the given order; short runs are trained together.

    Args:
        load: returns a data set by name.

    Raises:
        DataUnavailable: a data set is neither on this machine nor to be downloaded.
    """
    for some in together(asked):
        for arm, seed in some:
            if isinstance(arm, Computed):
                began = time.perf_counter()
                value = arm.measure(seed)
                yield _figure(arm, seed, value, "completed", time.perf_counter() - began)
            elif isinstance(arm, Leaking):
                yield _leaks(arm, seed, load)
            elif isinstance(arm, Timed):
                yield _timed(arm, seed, load)
        plain = (one for one in some if not isinstance(one[0], Leaking | Timed))
        yield from _train([(arm, seed) for arm, seed in plain if isinstance(arm, Trained)], load)


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


def keep(path: Path, figure: Figure) -> None:
    """Store a figure in a file durably, replacing an older one with the same key."""
    others = [one for one in read(path) if one.key != figure.key]
    write(path, sorted([*others, figure], key=lambda one: (str(one.setting), one.seed)))


def _figure(arm: Arm, seed: int, value: float | None, status: str, seconds: float) -> Figure:
    today = datetime.now(UTC).date().isoformat()
    return Figure(
        key=arm.key(seed),
        seed=seed,
        value=value,
        status=status,
        seconds=round(seconds, 3),
        version=arm.version,
        date=today,
        setting=arm.setting,
    )


class _Run:
    def __init__(self, arm: Trained, seed: int) -> None:
        self.arm, self.seed = arm, seed
        self.curve: list[float] = []
        self.noises: list[float] = []
        self.size: float | None = None
        self.chance: float | None = None
        self.device = "cpu"
        self.unlike: list[float] = []
        self.last: RoundDone | None = None
        self.back: list[bool] = []

    def figure(self, said: Event | InvalidInput, seconds: float) -> Figure | None:
        """Figure of the run once its last event has come, else None; `seconds` is its share of the batch's
        time.
        """
        if isinstance(said, Started):
            self.chance, self.device = said.chance, said.device
            self.curve.append(round(said.accuracy, 4))
        elif isinstance(said, RoundDone):
            self.curve.append(round(said.accuracy, 4))
            self.noises.append(said.noise_variance)
            self.size = math.sqrt(said.signal_variance)
            self.unlike += [] if said.heterogeneity is None else [said.heterogeneity]
            self.last = said
        elif isinstance(said, Attacked) and said.upload == "audit" and said.control is None:
            self.back.append(said.psnr >= RECOVERED_DB)
        elif isinstance(said, Ended):
            done = said.status == "completed"
            status = "completed" if done else said.message or said.status
            plain = _figure(self.arm, self.seed, said.accuracy if done else None, status, seconds)
            noise = math.sqrt(sum(self.noises) / len(self.noises)) if self.noises else None
            own = {"device": self.device, "curve": tuple(self.curve), "size": self.size}
            also = self.also()
            if said.accuracy_unnoised is not None:
                also["unnoised"] = said.accuracy_unnoised
            return Figure(**{**vars(plain), **own, "noise": noise, "chance": self.chance, "also": also})
        elif isinstance(said, InvalidInput):
            return _figure(self.arm, self.seed, None, str(said), seconds)
        return None

    def also(self) -> dict[str, float]:
        """Further figures of the run, of its system or attack."""
        found: dict[str, float] = {}
        if self.unlike:
            found["heterogeneity"] = math.fsum(self.unlike)
        if self.last and self.last.accuracy_own_mix is not None:
            found["own_mix"] = self.last.accuracy_own_mix
        if self.last and self.last.accuracy_per_client:
            found["extended"] = max(self.last.accuracy_per_client)
        if self.back:
            found["recovered"] = sum(self.back) / len(self.back)
        return found


def _leaks(arm: Leaking, seed: int, load: Callable[[str], Data]) -> Figure:
    """Figure of a run trained by itself, with its identification rate over all rounds."""
    from ldp_core.leakage.over_rounds import picked  # torch
    from ldp_core.simulate import simulate

    began, experiment, run = time.perf_counter(), arm.experiment(seed), _Run(arm, seed)
    data, figure = load(experiment.dataset), None
    states: list[State] = []
    for said in simulate(experiment, data, keep=states.append):
        figure = run.figure(said, 0.0) or figure
    if figure is None:
        raise RuntimeError(f"the run “{arm.label}” ended without an end")
    if figure.value is None:
        return figure
    shares = picked(experiment, data, states[:-1], arm.images)
    figures = {
        ("identified" if name is None else f"identified_{name}"): one.value for name, one in shares.items()
    }
    also = {**figure.also, **figures, "trials": float(shares[None].trials)}
    return Figure(**{**vars(figure), "also": also, "seconds": round(time.perf_counter() - began, 3)})


def _timed(arm: Timed, seed: int, load: Callable[[str], Data]) -> Figure:
    """Figure of a run with the CPU time of its rounds, over all threads, without loading and compilation; CPU
    time, since other jobs on the machine affect it little.
    """
    from ldp_core.simulate import simulate

    experiment, run = arm.experiment(seed), _Run(arm, seed)
    data, figure = load(experiment.dataset), None
    began, clock = time.perf_counter(), 0.0
    for said in simulate(experiment, data):
        clock = time.process_time() if isinstance(said, Started) else clock
        figure = run.figure(said, time.perf_counter() - began) or figure
    spent = (time.process_time() - clock) / experiment.rounds
    if figure is None:
        raise RuntimeError(f"the run “{arm.label}” ended without an end")
    return Figure(**{**vars(figure), "also": {**figure.also, "processor": round(spent, 3)}})


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
