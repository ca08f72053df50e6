"""Turnout: the possible sets of participants of a run's rounds, with their probabilities."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln, xlog1py, xlogy

from ldp_core import datasets
from ldp_core.experiment import Plan, kept
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream

MOST_CASES = 20_000
"""Largest number of enumerated mixtures, or of simulated rounds."""
MOST_NUMBERS = 2_000_000
"""Largest size of simulated rounds, in numbers."""
MOST_TOGETHER = 1_000_000
"""Clients times rounds up to which whole runs are simulated, with limits carried over between rounds."""
MOST_RUNS = 1000
EACH = 30
"""Number of rounds of a run with limits that are evaluated one by one."""
MOST_KINDS = 16
"""Number of groups of equal clients above which there are too many mixtures."""


Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Turnout:
    """J possible rounds that represent the rounds of a run, or of a part of it."""

    share: Floats
    """Share of the run's rounds that each possible round represents, (J,); all turnouts add up to 1."""
    clients: NDArray[np.int64]
    """Clients chosen by the server, (J, n)."""
    here: NDArray[np.bool_]
    """Mask of those that still upload, (J, n)."""
    rounds: tuple[int, int]
    """First and last represented round."""
    drawn: bool = False
    """Whether the rounds are a random sample."""


def turnouts(plan: Plan, kinds: NDArray[np.int64]) -> Iterator[Turnout]:
    """All possible rounds of a run, exactly where feasible; `kinds` (K,): each client's group of equals."""
    experiment = plan.experiment
    count, rounds = experiment.clients.count, experiment.rounds
    most = plan.turns.affordable
    if plan.turns.drawn is not None:
        yield from _drawn(plan, plan.turns.drawn)
        return
    parts = experiment.selection.stretches(count, rounds)
    if parts is not None:
        yield from _once(plan, kinds, parts, most > 0)
        return
    size = experiment.selection.size(count)
    if size == count:
        yield from _all(most, rounds)
        return
    mixtures = _mixtures(kinds, size) if size else None
    limited = bool((most < rounds).any())
    if mixtures is not None and not limited:
        share, clients = mixtures
        yield Turnout(share, clients, np.ones(clients.shape, dtype=bool), (1, rounds))
        return
    generator = stream(0, "prediction")
    chance = _chance(plan)
    choices = None if limited or chance is None else _all_choices(kinds, chance, rounds)
    if choices is not None:
        yield choices
    elif not limited:
        clients, here = _imagined(plan, size, generator)
        yield Turnout(np.full(len(clients), 1 / len(clients)), clients, here, (1, rounds), drawn=True)
    elif size and count * rounds <= MOST_TOGETHER:
        yield from _whole_runs(plan, most, size, generator)
    else:
        yield from _apart(plan, most, size, generator)


def _drawn(plan: Plan, table: NDArray[np.bool_]) -> Iterator[Turnout]:
    """Rounds that are drawn before the run, evenly spaced ones where there are too many numbers."""
    step = -(-table.size // MOST_NUMBERS)
    numbers = np.arange(1, len(table) + 1)[::step]
    for some in np.split(numbers, len(numbers)) if plan.terms.changes else [numbers]:
        here, share = table[some - 1], np.full(len(some), 1 / len(numbers))
        everybody = np.broadcast_to(np.arange(table.shape[1]), here.shape)
        yield Turnout(share, everybody, here, (int(some[0]), int(some[-1])), drawn=step > 1)


def _chance(plan: Plan) -> float | None:
    """Probability of each client's participation, if clients decide independently; else None."""
    return getattr(plan.experiment.selection, "chance", None)


def _all_choices(kinds: NDArray[np.int64], chance: float, rounds: int) -> Turnout | None:
    """Joint distribution of the participants per group (independent binomials); None for too many cases."""
    order, sizes = np.argsort(kinds, kind="stable"), np.bincount(kinds)
    cases = math.prod((sizes + 1).tolist()) if len(sizes) <= MOST_KINDS else MOST_CASES + 1
    if cases > MOST_CASES or cases * len(kinds) > MOST_NUMBERS:
        return None
    came = np.indices((sizes + 1).tolist()).reshape(len(sizes), cases).T
    ways = gammaln(sizes + 1) - gammaln(came + 1) - gammaln(sizes - came + 1)
    share = np.exp((ways + xlogy(came, chance) + xlog1py(sizes - came, -chance)).sum(axis=1))
    here = np.arange(len(kinds)) - np.repeat(np.cumsum(sizes) - sizes, sizes) < came[:, kinds[order]]
    return Turnout(share, np.broadcast_to(order, here.shape), here, (1, rounds))


def _whole_runs(
    plan: Plan, most: NDArray[np.int64], size: int, generator: np.random.Generator
) -> Iterator[Turnout]:
    """Simulated runs from the first round on, since a client that was chosen often reaches its limit and
    leaves the others; row j of each turnout is of run j.
    """
    count, rounds = plan.experiment.clients.count, plan.experiment.rounds
    runs = max(10, min(MOST_RUNS, 4 * MOST_TOGETHER // (count * rounds)))
    sent = np.zeros((runs, count), dtype=np.int64)
    everybody = np.broadcast_to(np.arange(count), sent.shape)
    for first, last in _stretches(rounds):
        its = generator.integers(first, last + 1, runs)  # the round that stands for the stretch, run by run
        whom, here = np.empty((runs, size), dtype=np.int64), np.empty((runs, size), dtype=bool)
        for number in range(first, last + 1):
            chosen = generator.permuted(everybody, axis=1)[:, :size]
            can = np.take_along_axis(sent < most, chosen, axis=1)
            now = its == number
            whom[now], here[now] = chosen[now], can[now]
            np.put_along_axis(sent, chosen, np.take_along_axis(sent, chosen, axis=1) + can, axis=1)
        share = np.full(runs, (last - first + 1) / rounds / runs)
        yield Turnout(share, whom, here, (first, last), drawn=True)


def _apart(
    plan: Plan, most: NDArray[np.int64], size: int | None, generator: np.random.Generator
) -> Iterator[Turnout]:
    """Simulated single rounds, with a binomial number of earlier uploads: nearly exact for many clients."""
    experiment = plan.experiment
    count, rounds = experiment.clients.count, experiment.rounds
    chance = experiment.selection.expected_uploads(count, rounds) / rounds
    for first, last in _stretches(rounds):
        clients, here = _imagined(plan, size, generator)
        before = generator.integers(first, last + 1, (len(clients), 1)) - 1
        of = most[clients]
        still = np.where(of > before, 1.0, np.where(of > 0, bdtr(of - 1.0, before, chance), 0.0))
        here = here & (generator.random(clients.shape) < still)
        share = np.full(len(clients), (last - first + 1) / rounds / len(clients))
        yield Turnout(share, clients, here, (first, last), drawn=True)


def _once(
    plan: Plan, kinds: NDArray[np.int64], parts: list[tuple[int, int, int]], sends: NDArray[np.bool_]
) -> Iterator[Turnout]:
    """Rounds without repeated participants: a limit allows a client's upload or not."""
    generator = stream(0, "prediction")
    for first, last, size in parts:
        mixtures = _mixtures(kinds, size) if sends.all() else None
        weight = (last - first + 1) / plan.experiment.rounds
        if mixtures is not None:
            share, clients = mixtures
            yield Turnout(weight * share, clients, np.ones(clients.shape, dtype=bool), (first, last))
        else:
            clients, here = _imagined(plan, size, generator)
            share = np.full(len(clients), weight / len(clients))
            yield Turnout(share, clients, here & sends[clients], (first, last), drawn=True)


def _all(most: NDArray[np.int64], rounds: int) -> Iterator[Turnout]:
    everybody = np.arange(len(most))[None]
    first = 1
    for last in [*np.unique(most[(most > 0) & (most < rounds)]).tolist(), rounds]:
        share = np.array([(last - first + 1) / rounds])
        yield Turnout(share, everybody, (most >= last)[None], (first, last))
        first = last + 1


def _stretches(rounds: int) -> Iterator[tuple[int, int]]:
    """Rounds in intervals: single ones at first, then a tenth of the rounds before."""
    first = 1
    while first <= rounds:
        last = min(rounds, first + (first // 10 if first > EACH else 0))
        yield first, last
        first = last + 1


def _mixtures(kinds: NDArray[np.int64], size: int) -> tuple[Floats, NDArray[np.int64]] | None:
    """Probabilities (J,) and clients (J, n) of every mixture of groups of `size`; None for too many."""
    if kinds.max() >= MOST_KINDS:
        return None
    members = [np.flatnonzero(kinds == kind) for kind in range(kinds.max() + 1)]
    cases = math.prod(min(len(group), size) + 1 for group in members[1:])
    if cases > MOST_CASES or cases * size > MOST_NUMBERS:
        return None
    rest = [range(min(len(group), size) + 1) for group in members[1:]]
    counts = np.array(list(product(*rest)), dtype=np.int64).reshape(cases, len(members) - 1)
    first = size - counts.sum(axis=1)
    possible = (first >= 0) & (first <= len(members[0]))
    table = np.column_stack([first, counts])[possible]
    sizes = np.array([len(group) for group in members])
    ways = (gammaln(sizes + 1) - gammaln(table + 1) - gammaln(sizes - table + 1)).sum(axis=1)
    share = np.exp(ways - ways.max())
    clients = np.stack(
        [np.concatenate([g[:n] for g, n in zip(members, row, strict=True)]) for row in table.tolist()]
    )
    return share / share.sum(), clients


def _imagined(
    plan: Plan, size: int | None, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Simulated selections: candidates (J, n), and mask of the participants among them."""
    experiment = plan.experiment
    count = experiment.clients.count
    # where clients have limits of their own, there are many stretches of rounds to imagine
    cases = MOST_CASES if experiment.clients.run_limit is None else MOST_CASES // 10
    if (chance := _chance(plan)) is not None:
        draws = max(10, min(cases // 4, MOST_NUMBERS // count))
        chosen = generator.random((draws, count)) < chance
        return np.broadcast_to(np.arange(count), chosen.shape), chosen
    if size is None:
        chosen = np.zeros((max(10, min(cases // 40, MOST_NUMBERS // count)), count), dtype=bool)
        for row in chosen:
            seed = int(generator.integers(2**62))
            row[experiment.selection.choose(count, seed, 1, experiment.rounds)] = True
        return np.broadcast_to(np.arange(count), chosen.shape), chosen
    draws = max(10, min(cases, MOST_NUMBERS // size))
    # a shuffle cut into pieces is as many choices at once
    pieces = count // size
    shuffles = max(1, -(-draws // pieces))
    order = generator.permuted(np.broadcast_to(np.arange(count), (shuffles, count)), axis=1)
    clients = order[:, : pieces * size].reshape(-1, size)[:draws]
    return clients, np.ones(clients.shape, dtype=bool)


def label_counts(plan: Plan, root: Path) -> Counts | None:
    """Samples of each class at each client, (count, classes), as a run assigns them; None before the data are
    first downloaded and read. Raises `InvalidInput` if the partition cannot give every client a sample.
    """
    labels = plan.source.train_labels(root)
    if labels is None:
        return None
    count, classes, shards = plan.experiment.clients.count, plan.source.classes, plan.split(labels)
    owner = np.repeat(np.arange(count), [len(shard) for shard in shards])
    flat = owner * classes + labels[np.concatenate(shards)]
    return np.bincount(flat, minlength=count * classes).reshape(count, classes)


def sizes(plan: Plan) -> Floats:
    """Samples of each client, (K,), by this seed's partition; classes of equal size before a download."""
    if not plan.experiment.aggregator.weighs_by_size:
        return np.ones(plan.experiment.clients.count)
    try:
        return _sizes(plan, True)
    except LookupError:
        return _sizes(plan, False)


@kept(64)
def _sizes(plan: Plan, known: bool) -> Floats:
    source = plan.source
    labels = np.arange(source.train_size, dtype=np.int64) % source.classes
    if known:
        found = source.train_labels(datasets.data_dir())
        if found is None:
            raise LookupError(plan.experiment.dataset)
        labels = found
    return np.array([len(shard) for shard in plan.split(labels)], dtype=np.float64)
