"""Many experiments trained for their final figures: what a sweep is made of."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ldp_core.datasets import Data, Told, quiet
from ldp_core.engines import choice
from ldp_core.errors import InvalidInput
from ldp_core.events import Ended, RoundDone, Trained
from ldp_core.experiment import Experiment
from ldp_core.runs.lockstep import load

Tick = Callable[[int, bool], None]
"""Is told the place of a run that has trained a round, and of one that has ended (True)."""

ALONE = "alone"
"""What figures are equal to, bit for bit: those of the same run trained alone …"""
FOLDED = "folded"
"""… or those of a run that was trained in one product with others: its weights may differ from the run's
alone in the last bits. The index of results keeps the two apart."""


@dataclass(frozen=True)
class Figures:
    """What one run came to. Accuracy, loss and noise are NaN-free: null where there is none."""

    status: str
    """“completed”, “diverged”, or “failed” where its data cannot be dealt out."""
    round: int = 0
    """The last finished one."""
    accuracy: float | None = None
    """Share of held-out samples, in [0, 1]."""
    loss: float | None = None
    noise_variance: float | None = None
    """Of the aggregate, per weight, in the last round."""
    message: str = ""
    seconds: float = 0.0
    """That it took itself."""
    weights_sha256: str | None = None

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def train_all(
    experiments: Sequence[Experiment], told: Told = quiet, tick: Tick = lambda place, ended: None
) -> Iterator[tuple[int, Figures]]:
    """Train experiments without attacks, many together, and yield each one's place in the list with its final
    figures, as it finishes, in any order. What they are equal to, `bits` says.

    Args:
        experiments: what to train, all different.
        told: is given what is done before the first of them, where that takes time.
        tick: is told of each round, and of each end before it is yielded.

    Raises:
        DataUnavailable: a data set is not on this machine and cannot be fetched, or is damaged.
    """
    groups: dict[str, dict[int, Experiment]] = {}
    for index, experiment in enumerate(experiments):
        groups.setdefault(experiment.dataset, {})[index] = experiment
    for name, group in groups.items():
        yield from folded(group.items(), {name: load(name, told)}, tick)


def bits(experiment: Experiment) -> str:
    """What `train_all`'s figures of an experiment are equal to: FOLDED where it is trained with others. The
    fused engine, which trains those where it can, gives each run its own bits whoever is beside it.
    """
    from ldp_core.many import at_once

    many = at_once(experiment) > 1
    engine = (choice.quickest(experiment) if many else "") or choice.bits(experiment)
    return engine if engine == "fused" else _named(FOLDED if many else ALONE, engine)


def bits_alone(experiment: Experiment) -> str:
    """The same for a run that is trained by itself."""
    engine = choice.bits(experiment)
    return engine if engine == "fused" else _named(ALONE, engine)


def _named(how: str, engine: str) -> str:
    return f"{how} {engine}" if engine else how


def folded(
    experiments: Iterable[tuple[int, Experiment]], data: Mapping[str, Data], tick: Tick
) -> Iterator[tuple[int, Figures]]:
    """Experiments by number, the next of which is asked for when there is room for it; each is told its share
    of the time that all have taken.
    """
    from ldp_core.many import run_many

    known: dict[int, Experiment] = {}
    last: dict[int, RoundDone] = {}
    began: dict[int, float] = {}
    clock, now = 0.0, time.perf_counter()
    for number, event in run_many(_noted(experiments, known), data, quickest=True, figures=True):
        passed, now = time.perf_counter() - now, time.perf_counter()
        clock += passed / max(1, len(began))
        began.setdefault(number, clock)
        if isinstance(event, RoundDone | Trained):
            tick(number, False)
        if isinstance(event, RoundDone):
            last[number] = event
        if not isinstance(event, Ended | InvalidInput):
            continue
        tick(number, True)
        experiment, done, seconds = known.pop(number), last.pop(number, None), clock - began.pop(number)
        if isinstance(event, InvalidInput):
            yield number, Figures("failed", message=str(event))
            continue
        if event.status == "diverged":  # its last round was not known to be one: once more, and measured
            for _, again in run_many([(number, experiment)], data, quickest=True):
                done = again if isinstance(again, RoundDone) else done
                event = again if isinstance(again, Ended) else event
        figures = {"loss": done.loss, "noise_variance": done.noise_variance} if done else {}
        yield number, figures_of(figures, vars(event) | {"seconds": round(seconds, 4)})


def _noted(
    experiments: Iterable[tuple[int, Experiment]], known: dict[int, Experiment]
) -> Iterator[tuple[int, Experiment]]:
    for number, experiment in experiments:
        known[number] = experiment
        yield number, experiment


def figures_of(last: Mapping[str, Any], end: Mapping[str, Any]) -> Figures:
    """What a run came to, from the events of its last round (empty if it has none) and of its end."""
    rest = ("status", "round", "accuracy", "message", "seconds", "weights_sha256")
    own: dict[str, Any] = {name: end[name] for name in rest}
    return Figures(loss=last.get("loss"), noise_variance=last.get("noise_variance"), **own)
