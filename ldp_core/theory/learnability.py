"""Prediction of whether training succeeds: the aggregate's noise against what training can change.

A rule of thumb, labelled so, derived from random experiments on digits and tested on others, which `HITS`
counts. A changed rule must be tested on new seeds (from `COUNTED[1]` on), and both numbers updated.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from ldp_core.experiment import Experiment
from ldp_core.inference import wilson
from ldp_core.limits import number, spelled
from ldp_core.theory.heard import by_lot, counting, held
from ldp_core.theory.measured import (
    PRINTED,
    UNEVENLY,
    UNLIKE,
    beyond,
    drowned,
    speechless,
    trained_size,
    unsteady,
    way,
)
from ldp_core.theory.server import ServerNoise, quiet, server_noise

Word = Literal["learns", "borderline", "chance", "unknown"]

WEIGHTS = {"logistic_regression": (0.3, 1.75), "mlp": (0.2, 0.9)}
"""Ratios of noise to weight size for the target “weights”: learns below the first, fails above the second."""
ROOM = {"logistic_regression": 1.25, "mlp": 3.0}
"""Factor by which weights can usefully grow against noise if the safe range allows."""
CHANGES = {"logistic_regression": (0.35, 4.5), "mlp": (0.3, 3.2)}
"""Ratios for the target “update”: noise of all rounds (grows with their root) to what as many rounds can move
a weight (grows with their number).
"""
STEP = (0.1, 0.3)
"""Size of a round's changes, relative to trained weights: for one step at learning rate 1, and at most."""
REACH = (0.25, 1.0)
"""Distance that all rounds' changes can move, relative to trained weights: below the first nothing was
measured; below the second training learns only part of the way.
"""
WAY = {"logistic_regression": 10.0, "mlp": 30.0}
"""Learning rate times number of steps below which training ends too early."""
ALONE = {"logistic_regression": 0.0, "mlp": 1.5}
"""Clients in a round up to which the new model is one client's own, and a network's gains are lost."""
NARROW = 0.5
"""Share of the weights' size left by clipping below which a model does not learn well."""
THREAD = 0.05
"""The same share below which a network's output hardly depends on its input."""
FEW = (2, 3)
"""Mean number of non-empty rounds: below the first a run may end as begun, below the second by chance."""
ENDS = {"learns": (0.75, 1.0), "borderline": (0.2, 0.9), "chance": (0.0, 0.35)}
"""Final accuracies that confirm each verdict."""
HOPELESS = 1.3
"""Ratio to the largest tolerable noise above which training fails for certain."""
COUNTED = (700, 1000)
"""Numbers of the benchmark experiments (the last excluded) on which the finished rule was tested. `python -m
tests.benchmarks.outlook 700 1000` counts again.
"""
HITS: Mapping[Word, tuple[int, int]] = {"learns": (27, 28), "borderline": (90, 98), "chance": (139, 142)}
"""Correct verdicts among those experiments, and number of verdicts, by verdict."""

OUTSIDE, SPOKEN, DRAWN, APART = 205, 217, 250, 166
"""Of the first experiments of the outsider's space 606, beyond the rule's settings: correct verdicts,
verdicts, experiments; and correct ones with disjoint bands (up to 35 %, 75 % and 1). `python -m
tests.benchmarks.outlook 0 250 outsider` counts again.
"""
BAND = (
    (-2.5, 0.82, 0.96),
    (-1.75, 0.78, 0.91),
    (-1.25, 0.70, 0.93),
    (-0.875, 0.65, 0.86),
    (-0.625, 0.32, 0.89),
    (-0.375, 0.26, 0.70),
    (-0.125, 0.10, 0.42),
    (0.125, 0.08, 0.27),
    (0.375, 0.06, 0.28),
    (0.75, 0.08, 0.18),
    (1.5, 0.05, 0.16),
)
"""Place on the logarithmic scale (−1: noise up to which training learns, 0: above which it fails), and
accuracies between which eight of ten runs ended: 411 random experiments of tests/benchmarks/outsider.py,
counted by `python -m tests.benchmarks.outlook bands`.
"""

BORDERLINE = -0.875
"""Least noise whose band stands for a “borderline” verdict."""


def hits_in_words() -> str:
    """Success rate of the rule where it was tested, with its 95 % Wilson interval."""
    right, said = (sum(counts) for counts in zip(*HITS.values(), strict=True))
    low, high = wilson(right, said)
    rate = f"{100 * right / said:.0f} %; 95 % interval {100 * low:.0f} to {100 * high:.0f} %"
    worst = min(HITS, key=lambda word: HITS[word][0] / HITS[word][1])
    return (
        f"right for {right} of {said} random experiments on digits that it was not made from and spoke of "
        f"({rate}), least often where it says “{worst}”: {HITS[worst][0]} of {HITS[worst][1]}; of settings "
        f"it was not made for, {OUTSIDE} of {SPOKEN}, silent on {DRAWN - SPOKEN} more; with bands that never "
        f"overlap (up to 35 %, to 75 %, above), {APART} of {SPOKEN}"
    )


@dataclass(frozen=True)
class Outlook:
    word: Word
    sigma: float
    """Standard deviation of the aggregate's noise per weight in non-empty rounds; NaN if not predicted."""
    size: float | None
    """Root mean square of trained weights, if known."""
    ratio: float | None
    """Noise relative to the signal; see WEIGHTS and CHANGES."""
    why: str
    limits: tuple[float, float] | None = None
    """Ratio up to which training learns, and ratio above which it fails; None without a verdict."""

    @property
    def place(self) -> float | None:
        """Position of `ratio` on a log scale: −1 and 0 at the two `limits`; None without limits."""
        if self.limits is None or self.ratio is None:
            return None
        low, high = self.limits
        return math.log(self.ratio / high) / math.log(high / low) if self.ratio else -math.inf

    @property
    def band(self) -> tuple[float, float] | None:
        """Accuracies between which eight of ten runs with the same `place` ended, rounded outwards to 5
        percentage points; None without limits.
        """
        if (place := self.place) is None:
            return None
        if self.word == "borderline":  # also for other reasons than noise, such as a narrow safe range
            place = max(place, BORDERLINE)
        places, low, high = zip(*BAND, strict=True)
        ends = np.interp(place, places, low), np.interp(place, places, high)
        return math.floor(20 * ends[0]) / 20, math.ceil(20 * ends[1]) / 20


def outlook(experiment: Experiment) -> Outlook:
    """Prediction for an experiment, with its reason in plain words."""
    noise, size = server_noise(experiment), trained_size(experiment)
    sigma = math.sqrt(noise.heard)
    if noise.empty > 1 - 1e-9:
        why = "nobody ever sends anything: each client's limit forbids it"
        return Outlook("chance", sigma, size, None, why)
    why = f"no noise is predicted, as {noise.unknown}" if noise.unknown else speechless(experiment)
    if why or size is None:
        room = None if size is None else ROOM[experiment.model.name] * size
        over = drowned(experiment, noise, lambda half: clipped_size(room, half) if room else half)
        if over > 1:
            lost = f"noise is {_times(over)} what any weights in these ranges bear"
            return Outlook("chance", sigma, size, None, f"{lost}, though {why}")
        return Outlook("unknown", sigma, size, None, f"{why}: press Train")
    return _judged(experiment, noise, size)


def _judged(experiment: Experiment, noise: ServerNoise, size: float) -> Outlook:
    model, heard = experiment.model.name, experiment.rounds * (1 - noise.empty)
    population, sigma = experiment.population(), math.sqrt(noise.heard)
    half = float((population.high - population.low).mean()) / 2
    if experiment.target == "update":
        low, high = CHANGES[model]
        change = min(STEP[0] * way(experiment, 1), STEP[1]) * size
        reach = heard * clipped_size(change, half)
        ratio = sigma * math.sqrt(heard) / reach
        times = max(1, round(heard))
        rounds = f"{spelled(times)} round{'s' * (times > 1)}"
        what = f"the noise of {rounds} is {_times(ratio)} what training can move a weight in as many"
    else:
        low, high = WEIGHTS[model]
        against = clipped_size(ROOM[model] * size, half)
        reach, ratio = math.inf, sigma / against
        what = f"noise is {_times(ratio)} what weights can grow to ({number(against, 2)})"
    word: Word = "learns" if ratio <= low else "borderline" if ratio <= high else "chance"
    other = beyond(experiment)
    hopeless = word == "chance"
    left = clipped_size(size, half) / size
    doubt = _hope(experiment, ratio / high) if hopeless else _doubt(experiment, heard, reach / size, left)
    if hopeless and other == PRINTED:
        doubt = other
    elif hopeless and ratio > HOPELESS * high and experiment.target == "weights":
        doubt = ""
    if doubt:
        return Outlook("unknown", sigma, size, ratio, f"{what}; but {doubt}: press Train")
    but = _reservation(experiment, heard, reach / size, left)
    if word == "learns" and (but or other in (UNLIKE, UNEVENLY)):
        word, but = "borderline", but or limits_in_words(low, high)
    else:
        but = limits_in_words(low, high)
    also = f"; {other}" if other else ""
    return Outlook(word, sigma, size, ratio, f"{what}; {but}{also}", (low, high))


def limits_in_words(low: float, high: float) -> str:
    """Meaning of an outlook's two ratios, in words."""
    return f"it learns up to {number(low, 6)}, and not at all above {number(high, 6)}"


def _hope(experiment: Experiment, over: float) -> str:
    """Why the model may tolerate so much noise after all; "" if not. `over`: noise over the tolerable."""
    if experiment.target == "update":
        rare = by_lot(experiment) and over * math.sqrt(quiet(experiment)) * HOPELESS <= 1
        return "unlike clients take turns, and a few rare rounds have most of the noise" if rare else ""
    if by_lot(experiment):
        return "unlike clients take turns, and who is in the last round decides"
    if over * held(experiment) <= 1:
        return "few clients with few outcomes may hold weights where noise is less"
    return ""


def _doubt(experiment: Experiment, heard: float, reach: float, left: float) -> str:
    """Why no prediction is possible although noise is small; "" if it is. `reach` and `left` in units of
    trained weights.
    """
    if heard < FEW[0]:
        if heard == experiment.rounds:
            return "what a single round reaches was not measured"
        return f"only some {heard:.1f} rounds are heard, and whether any is luck"
    if reach < REACH[0]:
        return "how far such small changes get was not measured"
    if experiment.target == "weights" and experiment.model.name == "mlp" and left < THREAD:
        return "what a network learns in so narrow a range was not measured"
    if unsteady(experiment):
        return "at such a learning rate and batch size this network may fail even without noise"
    return ""


def _reservation(experiment: Experiment, heard: float, reach: float, left: float) -> str:
    """Why small noise does not suffice; "" if it does. `reach` and `left` in units of trained weights."""
    if heard < FEW[1]:
        luck = f"only about {heard:.1f} rounds are heard, and which ones is luck"
        return f"but {'two rounds are few' if heard == experiment.rounds else luck}"
    if reach < REACH[1]:
        return "but changes so small hardly get to the weights that training wants"
    if experiment.target == "weights" and left < NARROW:
        return "but the safe range is too narrow for the weights that training wants"
    if way(experiment, heard) < WAY[experiment.model.name]:
        return "but so few steps, or such small ones, do not get far"
    if experiment.target == "weights" and counting(experiment) < ALONE[experiment.model.name]:
        return "but each round's model is one client's own, so what it learns comes and goes"
    if experiment.target == "weights" and by_lot(experiment):
        return "but unlike clients take turns, and who is in the last round decides"
    return ""


def _times(ratio: float) -> str:
    return f"{spelled(round(ratio))} times" if ratio >= 10 else f"{number(ratio, 2)} times"


def clipped_size(size: float, half: float) -> float:
    """Root mean square of normal weights with root mean square `size`, clipped to ± half."""
    z = half / size
    inside = 2 * ndtr(z) - 1 - 2 * z * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return size * math.sqrt(max(0.0, float(inside + 2 * ndtr(-z) * z * z)))
