"""Default effort of attacks relative to training, counted so that it is equal on every machine: searches in
samples trained, as both compute gradients, closed forms in likelihoods; durations are `ldp_core.cost`'s.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ldp_core.attacks.base import CONTROLS, Facts, Reconstructor
from ldp_core.attacks.shared.search import Search

SHARE = 1 / 5
"""Largest default cost of an attack relative to training …"""
UNNOTICED = 75_000_000
"""… or number of likelihoods of a closed form, which take no noticeable time."""
GRADIENT, TORCH = 96, 8
"""Cost of a search's second-order gradient, and of a sample trained by PyTorch, in samples of a kernel."""
UPLOAD, WEIGHT, ROUND = 100_000, 20, 300_000
"""Cost of an attacked upload, of each of its weights, and of a round of training, in likelihoods."""
PRODUCTS = 1_250
"""Multiplications of training that one likelihood costs as much as."""


@dataclass(frozen=True)
class TrainingCost:
    """Cost of a run without its attacks."""

    rounds: int
    samples: float
    """Number of samples trained over all rounds and clients."""
    products: int
    """Multiplications of one sample's forward pass."""
    dimension: int
    chain: bool
    """Whether a kernel trains the model at full speed (`ldp_core.models.chain.is_chain`)."""

    @property
    def counted(self) -> float:
        """Samples trained, scaled to the speed of the compiled kernel."""
        return self.samples if self.chain else TORCH * self.samples


@dataclass(frozen=True)
class AttackSchedule:
    """Rounds and steps of the attacks beside or after a training."""

    every: int = 1
    """Interval in rounds between attacks, from round 1 on."""
    once: bool = False
    """Whether round 1 only is attacked."""
    after: bool = False
    """Whether the attack runs after training."""
    victims: int = 0
    """Largest number of attacked clients."""
    steps: int | None = None
    """Largest number of steps of a search; None for the search's own."""


def beside(
    who: Sequence[tuple[Reconstructor, Facts]], training: TrainingCost, victims: int, least: int
) -> AttackSchedule:
    """Schedule of attacks within `SHARE` of the training's cost, or `UNNOTICED`. A search too expensive for
    one round gets fewer steps, down to those for a recognisable image, then only `least` victims, then waits.
    """
    searches = [(one, seen) for one, seen in who if isinstance(one, Search)]

    def share(victims: int, steps: int | None = None) -> float:
        each = ((one if steps is None else one.at_most(steps)).effort(seen) for one, seen in searches)
        gradients = victims * (1 + CONTROLS) * math.fsum(one.gradients for one in each)
        return gradients * GRADIENT / training.counted

    once = share(victims)
    if once <= SHARE:
        searched = training.rounds / int(SHARE / once) if once * training.rounds > SHARE else 1.0
        return AttackSchedule(math.ceil(max(searched, _read(who, training, victims))), victims=victims)
    most = max(one.iterations for one, _ in searches)
    enough = min(most, max(one.way(seen.model, seen.shape, seen.classes).enough for one, seen in searches))
    for some in (victims, least):
        steps = min(most, int(SHARE / share(some, 1)))  # what a search does is linear in its steps
        if steps >= enough:
            return AttackSchedule(once=True, victims=some, steps=steps)
    return AttackSchedule(once=True, after=True, victims=least, steps=enough)


def _read(who: Sequence[tuple[Reconstructor, Facts]], training: TrainingCost, victims: int) -> float:
    """Interval of rounds between closed-form attacks, by their cost."""
    each = [one.effort(seen).likelihoods for one, seen in who if not isinstance(one, Search)]
    looked = math.fsum(UPLOAD + WEIGHT * training.dimension + likelihoods for likelihoods in each)
    trains = training.counted * training.products / PRODUCTS + ROUND * training.rounds
    return training.rounds * victims * looked / max(UNNOTICED, SHARE * trains)
