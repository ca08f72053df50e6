"""Verdict on whether training succeeds: an interval of the final accuracy in words, and the one case that
the noise alone decides (`certain`). All others are tried out (`ldp_core.pilot`).
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from scipy.special import ndtr

from ldp_core.experiment import Plan, kept
from ldp_core.inference.interval import deviation
from ldp_core.limits import number, spelled
from ldp_core.theory.clients import worst_variance
from ldp_core.theory.server import ServerNoise, client_weights, server_noise

Word = Literal["learns", "borderline", "chance", "unknown"]
WORDS: tuple[Word, ...] = ("chance", "borderline", "learns")
ENDS = (0.28, 0.72)
"""Shares of the way from guessing to certainty up to which a model is at chance, and borderline."""
SURE = 0.7
"""Probability below which the second word is said, too."""
WITHIN = 1.645
"""Half the width of an interval that holds nine of ten, in standard deviations."""
ALSO = 0.04
"""Standard deviation of what a pilot misses besides its own spread."""
ALONE = 0.04
"""Standard deviation between runs that is assumed where a single one was tried."""
CERTAIN = 0.99
"""Probability of “chance” where noise drowns all weights: none of 140 random runs beyond `FAR` left it."""
FAR, PIXELS = 5.0, 64
"""Ratio of noise to the most that weights in their ranges can hold beyond which nothing is learnt, for so
many inputs: a class's signal grows with their number, the noise with its root. Of 140 random runs beyond it
(digits and a sample of MNIST, models of three widths, SGD and Adam, equal and unequal clients) the best ended
at 26 %.
"""
MANY = 3.0
"""Least effective number of clients; with fewer, a round may be one client's own."""
MIXED = 4.0
"""Ratio of largest to smallest noise variance above which the participants decide about a round."""


@dataclass(frozen=True)
class Outlook:
    word: Word
    why: str
    low: float | None = None
    """Accuracies between which nine of ten runs end; None if nothing was found."""
    high: float | None = None
    probability: float | None = None
    """Probability of the word; None if nothing was found."""
    guess: float | None = None
    """Accuracy of always guessing the most frequent class."""

    between: str = ""
    """Both words, where neither is sure: “between chance and borderline”."""

    @property
    def words(self) -> str:
        return self.between or self.word

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def edges(guess: float) -> tuple[float, float]:
    """Accuracies up to which a model is at chance, and borderline, where guessing gives `guess`."""
    low, high = (guess + share * (1 - guess) for share in ENDS)
    return low, high


def word_of(accuracy: float, guess: float) -> Word:
    return WORDS[int(np.searchsorted(edges(guess), accuracy))]


def tried_out(accuracies: Sequence[float], guess: float, how: str) -> Outlook:
    """Verdict from the final accuracies of a few independent trials; `how` begins the reason."""
    mean, many = float(np.mean(accuracies)), len(accuracies)
    own = deviation(accuracies).size ** 2 if many > 1 else ALONE**2
    spread = math.sqrt(own * (1 + 1 / many) + ALSO**2)
    steps = ndtr((np.array([-np.inf, *edges(guess), np.inf]) - mean) / spread)
    chances = [float(high - low) for low, high in pairwise(steps)]
    at = int(np.argmax(chances))
    low, high = max(0.0, mean - WITHIN * spread), min(1.0, mean + WITHIN * spread)
    between = ""
    if chances[at] < SURE:
        first = min(at, int(np.argsort(chances)[-2])) if at != 1 else int(chances[0] < chances[2])
        between = f"between {WORDS[first]} and {WORDS[first + 1]}"
    said = f"{between}: " if between else ""
    why = f"{said}{how}; nine of ten runs end between {100 * low:.0f} and {100 * high:.0f} %"
    return Outlook(WORDS[at], why, low, high, chances[at], guess, between)


@kept(4096)
def certain(plan: Plan) -> Outlook | None:
    """Verdict where the noise leaves no doubt: of balanced pictures, as own data may be of one class; None
    elsewhere.
    """
    source = plan.source
    guess = 1 / source.classes
    if not source.images or source.version:
        return None
    noise = server_noise(plan)
    if noise.empty > 1 - 1e-9:
        why = "nobody ever sends anything: each client's limit forbids it"
    elif (over := _drowned(plan, noise)) > 1:
        times = spelled(round(over)) if over >= 10 else number(over, 2)
        why = f"noise is {times} times what any weights in these ranges bear"
    else:
        return None
    return Outlook("chance", why, 0.0, edges(guess)[0], CERTAIN, guess)


def _drowned(plan: Plan, noise: ServerNoise) -> float:
    """Ratio of the noise to the largest tolerable noise; NaN where it is unknown or says nothing."""
    experiment = plan.experiment
    if noise.unknown or plan.randomiser.role == "vote":
        return math.nan
    if experiment.target == "class_means" or _by_lot(plan) or _counting(plan) < MANY:
        return math.nan
    population, heard = plan.population, experiment.rounds * (1 - noise.empty)
    half = float((population.high - population.low).mean()) / 2
    if plan.randomiser.region == "ball":
        norm = half if experiment.trust.own_noise else plan.randomiser.norm  # type: ignore[attr-defined]
        half = norm / math.sqrt(plan.uploaded)
    borne = FAR * math.sqrt(math.prod(plan.source.shape) / PIXELS) * half
    return math.sqrt(noise.heard / (heard if experiment.target == "update" else 1.0)) / borne


def _by_lot(plan: Plan) -> bool:
    """Whether unlike clients take part in different rounds, by sampling or by exhausted limits."""
    experiment = plan.experiment
    count = experiment.clients.count
    drawn = (
        experiment.selection.size(count) != count
        or experiment.clients.run_limit is not None
        or experiment.aggregator.name == "probability_selection"
    )
    noises = worst_variance(plan)
    return drawn and bool(noises.max() > MIXED * noises.min())


def _counting(plan: Plan) -> float:
    """Effective number of clients in a round's average."""
    taking_part = plan.turns.expected / plan.experiment.rounds
    return taking_part / float((client_weights(plan) ** 2).sum())
