"""How much an attacker that searches does by itself: so much that training takes a fifth longer.

It comes in as many rounds as that allows. Where that is not one, it takes fewer steps, as many as make a
picture that can be recognised at least; then it attacks one client. What is still too much comes after the
training. Everything is counted in times of one machine that are written down here, so that the same
experiment has the same pictures on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ldp_core.attacks import Facts, Reconstructor
from ldp_core.attacks.shared.search import CHUNK, Search
from ldp_core.experiment.schema import Experiment
from ldp_core.models.chain import is_chain

SLOWER = 0.2
"""By so much a search that nobody has chosen may slow training."""
VICTIMS, CONTROLS = 3, 2
"""Clients whose uploads are attacked, and attacks on each besides that on what was sent."""
EVALUATION, PICTURE, PRODUCT = 1500.0, 100.0, 650e-6
"""Microseconds of a search's gradient: of each, however many pictures it is of; of each picture; and of each
product that a picture takes forwards.

These and the next ones: `python -m tests.benchmarks.search_units`, 2026-11-24, one core of an AMD EPYC, torch
2.13.0, load average 17.
"""
BATCH, TORCH = 550.0, 70e-6
"""Microseconds of a batch that PyTorch trains, and of each product of a sample in it."""
KERNEL = 25e-6
"""Microseconds of a product of a sample, where a kernel is made for the network."""
CORES = 2
"""Of that machine. Training uses all of them, a search one."""


@dataclass(frozen=True)
class Beside:
    """What searches do beside, or after, the training of an experiment."""

    rounds: Sequence[int]
    """Those that are attacked."""
    victims: int
    """Clients that are attacked, at most."""
    waits: bool
    """They come after the training."""
    share: float
    """The time that they take, of the time of training; 0 where nobody searches."""
    steps: int | None = None
    """Of each search, where there is no time for as many as it says itself."""


def beside(experiment: Experiment, attackers: Sequence[tuple[Reconstructor, Facts]]) -> Beside:
    """What is done of the searches among `attackers`, each with what it knows; for one that has an attack."""
    attack, last = experiment.attack, experiment.rounds
    if attack is None:
        return Beside((), 0, waits=False, share=0.0)
    searches = [(who, seen) for who, seen in attackers if isinstance(who, Search)]
    named = len(attack.clients) if attack.clients else 0
    victims = named or min(VICTIMS, experiment.clients.count)
    of_training = training(experiment)

    def share(victims: int, steps: int | None = None) -> float:
        return math.fsum(took(who, seen, victims, steps) for who, seen in searches) / of_training

    once = share(victims)
    if attack.attacker or attack.every > 1 or attack.rounds or not searches or once * last <= SLOWER:
        rounds = attack.rounds or range(1, last + 1, attack.every)
        return Beside(rounds, victims, waits=False, share=once * len(rounds))
    if once <= SLOWER:
        between = math.ceil(last / int(SLOWER / once))
        rounds = range(1, last + 1, between)
        return Beside(rounds, victims, waits=False, share=once * len(rounds))
    most = max(who.iterations for who, _ in searches)
    least = max(who.way(seen.model, seen.shape, seen.classes).enough for who, seen in searches)
    for some in (victims, named or 1):
        # what a search takes is linear in its steps
        steps = min(most, int(SLOWER / share(some, 1)))
        if steps >= min(least, most):
            return Beside((1,), some, waits=False, share=share(some, steps), steps=steps)
    steps = min(least, most)
    return Beside((1,), some, waits=True, share=share(some, steps), steps=steps)


def took(who: Reconstructor, seen: Facts, victims: int, steps: int | None = None) -> float:
    """Microseconds of a search in one round, with the controls; 0 for whoever does not search."""
    if not isinstance(who, Search):
        return 0.0
    limited = who if steps is None else who.at_most(steps)
    pictures = (1 + CONTROLS) * victims * limited.restarts
    together = pictures / math.ceil(pictures / CHUNK)
    return limited.effort(seen).gradients * (1 + CONTROLS) * victims * gradient(seen, together)


def gradient(seen: Facts, together: float = CHUNK) -> float:
    """Microseconds of a picture's gradient, where so many are computed at once."""
    return EVALUATION / together + PICTURE + PRODUCT * seen.model.products(seen.shape, seen.classes)


def training(experiment: Experiment) -> float:
    """Microseconds of all rounds' local training. What else a round does is not counted: it is seldom much,
    and what is forgotten here makes the searches shorter.
    """
    source, local, count = experiment.source, experiment.local, experiment.clients.count
    network = experiment.network
    uploads = count * experiment.selection.expected_uploads(count, experiment.rounds)
    each = source.train_size / count
    samples = uploads * each * local.epochs
    products = network.products(source.shape, source.classes)
    if is_chain(network, source.shape, source.classes):
        return samples * products * KERNEL / CORES
    batches = uploads * math.ceil(each / local.batch_size) * local.epochs
    return (batches * BATCH + samples * products * TORCH) / CORES
