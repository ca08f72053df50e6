"""A short trial of an experiment before training: the aggregate is simulated, and not each client.

In each round at most `SHARDS` of its clients are trained, on their real samples, and stand for all; what the
server receives is the clients' exact clip, bias and variance at their values, mixed by the aggregation
weights, with one Gaussian draw for the noise of the whole aggregate. `REPLICAS` such runs are rows of one
matrix. Where that cannot be had, a few real runs are trained that keep figures only. Both stop at a budget.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ldp_core import limits
from ldp_core.aggregators.base import Aggregator, SeesUploads
from ldp_core.cost.seconds import USUAL, Rates, seconds, work_of
from ldp_core.datasets import Data
from ldp_core.engines.plan import plan_batches
from ldp_core.events import Ended
from ldp_core.experiment import Experiment, Piece, changed, plan
from ldp_core.federated.federation import Federation, assemble, device_for, untrained
from ldp_core.federated.round import Round, new_model, prepare, work
from ldp_core.federated.upload import some_rows
from ldp_core.mechanisms.base import Floating, Floats
from ldp_core.simulate import Simulation
from ldp_core.streams import stream
from ldp_core.system.threads import one_thread
from ldp_core.theory.learnability import Outlook, tried_out

LEAST, SHARE = 1.0, 0.1
"""Budget of a pilot: processor seconds, or a share of the run's estimated cost if that is more."""
OVER = 1.5
"""Times the budget that the smallest pilot may take."""
REPLICAS, SHARDS = 4, 10
SIZES = ((4, SHARDS), (3, SHARDS), (2, SHARDS), (1, SHARDS), (1, 3), (1, 1))
"""Replicas, and clients of each trained in a round, by preference: clients count for more."""
HELD_OUT = 2000
"""Largest number of samples that a pilot's models are scored on."""
FEW, GRID = 4, 129
"""Number of kinds of clients whose law is evaluated at every value; of more, at so many points of a grid."""
KINDS = {True: 256, False: 16}
"""Largest number of kinds of clients, by whether a grid serves; of more, neighbours count as one."""
FIGURES = 0.6
"""Cost of a run that keeps figures only, as a share of the usual."""


def pilot(experiment: Experiment, data: Data, rates: Rates = USUAL) -> Outlook:
    """Verdict from a trial on this machine, of these `rates`; “unknown” where its budget does not suffice.
    InvalidInput: no sample for some client.
    """
    guess = float(np.bincount(data.test_y).max() / len(data.test_y))
    accuracies, how = trials(experiment, data, rates)
    if not accuracies:
        return Outlook("unknown", f"{how}: press Train", guess=guess)
    low, high = (f"{100 * end:.0f}" for end in (min(accuracies), max(accuracies)))
    ends = f"{low} %" if low == high else f"{low} to {high} %"
    return tried_out(accuracies, guess, f"{how} end{'s' if len(accuracies) == 1 else ''} at {ends}")


def trials(experiment: Experiment, data: Data, rates: Rates = USUAL) -> tuple[list[float], str]:
    """Final accuracies of at most `REPLICAS` trials, and what they are; none where the budget does not
    suffice. InvalidInput: no sample for some client.
    """
    one = plan(experiment.model_copy(update={"attack": None}))
    whole = seconds([work_of(one)], rates)
    budget = max(LEAST, SHARE * whole)
    with one_thread():
        if is_weighted_sum(one.experiment):
            found, how = _Pilot(assemble(one, data, device_for(one)), budget).accuracies()
        else:
            fits = FIGURES * whole <= OVER * budget
            found, how = _runs(one.experiment, data, budget) if fits else ([], "")
    return found, how if found else f"a trial would take more than {budget:.2g} s"


def is_weighted_sum(experiment: Experiment) -> bool:
    """Whether the server receives a weighted sum of values that pass a channel, one model for all."""
    system, plain = experiment.system, Aggregator.combine
    common = (system is None or system.plain) and not isinstance(experiment.aggregator, SeesUploads)
    return common and experiment.target != "class_means" and type(experiment.aggregator).combine is plain


def _runs(experiment: Experiment, data: Data, budget: float) -> tuple[list[float], str]:
    """Final accuracies of real runs with seeds of their own; none if even one would take too long."""
    found, rounds = list[float](), experiment.rounds
    run = Simulation(experiment, data, figures=True)  # features are computed once, as for the run itself
    began = time.process_time()
    for number in range(REPLICAS):
        if number:
            run = Simulation(changed(experiment, {"seed": experiment.seed ^ number}), data, figures=True)
        while not run.done:
            prepared = run.prepare()
            noised = (one.alone() for one in run.noisings(prepared, prepared.alone()))
            for _ in run.finish(prepared, noised):
                pass
            spent = time.process_time() - began
            if spent * (1 if found else rounds / max(1, run.state.round)) > OVER * budget:
                many = len(found)
                return found, f"{many} short run{'s' if many > 1 else ''}"
        found += [event.accuracy for event in run.end() if isinstance(event, Ended)]
        if (time.process_time() - began) * (1 + 1 / len(found)) > budget:
            break
    return found, f"{len(found)} short run{'s' if len(found) > 1 else ''}"


class _Pilot:
    def __init__(self, federation: Federation, budget: float) -> None:
        self._federation, self._budget, self._began = federation, budget, time.process_time()
        self._draw = stream(federation.experiment.seed, "pilot")
        self._state = untrained(federation)
        self._models = np.repeat(self._state.weights[None], REPLICAS, 0)
        self._lost = np.zeros(REPLICAS, dtype=bool)
        self._channel: Channel | None = None
        step = -(-len(federation.test_y) // HELD_OUT)
        self._held_out = federation.test_x[::step].contiguous(), federation.test_y[::step]
        self._size, self._cost, self._scoring = SIZES[0], (0.0, 0.0), 0.0

    def accuracies(self) -> tuple[list[float], str]:
        """Final accuracies of the replicas, none if the budget does not suffice, and what they are."""
        federation, rounds = self._federation, self._federation.experiment.rounds
        heard = 0
        for number in range(1, rounds + 1):
            prepared = prepare(federation, replace(self._state, weights=self._models[0]))
            if prepared.client_weights.any():
                heard = max(heard, self._heard(prepared))
                if not any(self._cost):
                    self._measure(prepared)
                if not self._choose(prepared, rounds - number + 1):
                    return [], ""
                self._go(prepared)
            uploads = self._state.uploads.copy()
            uploads[prepared.participants] += 1
            self._state = replace(self._state, round=number, uploads=uploads)
        found = [self._accuracy(model) for model in self._models]
        trained = min(heard, self._size[1])
        some = (
            f"{trained} of {heard:,} clients"
            if trained < heard
            else f"{heard} client{'s' if heard > 1 else ''}"
        )
        return found, f"{len(found)} trial{'s' if len(found) > 1 else ''} with {some} a round"

    def _heard(self, prepared: Round) -> int:
        return int(np.count_nonzero(prepared.client_weights))

    def _measure(self, prepared: Round) -> None:
        """Note what a round costs besides clients, and with each of them, in seconds."""
        took = list[float]()
        for clients in (1, 1, 4):  # the first pays for what is made once
            began = time.process_time()
            self._after(prepared, 1, clients)
            took.append(time.process_time() - began)
            if sum(took) > self._budget / 20:
                break
        more = min(4, self._heard(prepared)) - 1
        each = (took[2] - took[1]) / more if len(took) == 3 and more else took[-1]
        each = min(max(each, 1e-9), took[-1])
        self._cost = max(0.0, took[:2][-1] - each), each
        began = time.process_time()
        self._accuracy(self._models[0])
        self._scoring = time.process_time() - began

    def _choose(self, prepared: Round, left: int) -> bool:
        """Reduce the size to what the rest of the budget allows for each round left; False if nothing is."""
        heard = self._heard(prepared)
        fits = max(1, self._federation.plan.chunk)
        spent = time.process_time() - self._began
        allowed, most = (self._budget - spent) / left, (OVER * self._budget - spent) / left
        fixed, each = self._cost
        for replicas, shards in SIZES[SIZES.index(self._size) :]:
            rows = replicas * min(shards, heard)
            needs = fixed + each * rows + self._scoring * replicas / left
            least = (replicas, shards) == SIZES[-1]
            if (needs <= allowed and rows <= fits) or (least and needs <= most):
                self._size = replicas, shards
                self._models, self._lost = self._models[:replicas], self._lost[:replicas]
                return True
        return False

    def _go(self, prepared: Round) -> None:
        replicas, shards = self._size
        began = time.process_time()
        self._models = self._after(prepared, replicas, shards)
        took = time.process_time() - began
        fixed, each = self._cost
        rows = replicas * min(shards, self._heard(prepared))
        factor = (1 + min(4.0, max(0.25, took / (fixed + each * rows)))) / 2
        self._cost = fixed * factor, each * factor

    def _after(self, prepared: Round, replicas: int, shards: int) -> NDArray[np.float32]:
        """Models (replicas, d) after a round; a replica that diverges keeps its last."""
        federation, experiment = self._federation, self._federation.experiment
        chosen, shares, number = prepared.participants, prepared.client_weights, prepared.number
        draw, begun = self._draw, self._models[:replicas]
        drawn = [sampled(shares, shards, draw) for _ in range(replicas)]
        held = [federation.shards[i] for some, _ in drawn for i in chosen[some]]
        many = len(held) // replicas
        local = experiment.local
        planned = plan_batches(held, local.epochs, local.batch_size, draw)
        start = federation.placed(np.repeat(begun, many, 0))
        trained = work(federation, start, planned, number - 1, (0, len(held))).alone().cpu().numpy()
        wild = ~(np.abs(trained).max(axis=1) <= limits.DIVERGED_WEIGHT)  # true for NaN as well
        lost = self._lost[:replicas] | wild.reshape(replicas, many).any(axis=1)
        if replicas == len(self._lost):
            self._lost = lost
        trained[wild] = 0
        news = trained - np.repeat(begun, many, 0) if experiment.target == "update" else trained
        self._channel = channel = Channel.of(federation, prepared, self._channel)
        stands = np.stack([share for _, share in drawn])
        exact, bias, variance = channel.mean(news[:, federation.plan.sent], stands)
        noisy = exact + bias + np.sqrt(np.maximum(variance, 0)) * draw.standard_normal(exact.shape)
        finish = experiment.aggregator.finish
        pairs = zip(begun, noisy, lost, strict=True)
        after = [old if gone else new_model(federation, old, finish(one)) for old, one, gone in pairs]
        return np.stack(after)

    def _accuracy(self, model: NDArray[np.float32]) -> float:
        federation, (x, y) = self._federation, self._held_out
        samples = federation.train_x, federation.train_y, x
        scores = federation.engine.scores(federation.recipe, federation.placed(model), samples)
        return float((scores.argmax(1) == y).float().mean())


def sampled(shares: Floats, many: int, draw: np.random.Generator) -> tuple[NDArray[np.int64], Floats]:
    """Indices of at most `many` clients, each with a chance proportional to its share and at most 1, and
    weights, with sum 1, under which they stand for all: those that have most of the say are always there.
    """
    inside, free = np.zeros(len(shares)), shares > 0
    while (left := many - np.count_nonzero(inside)) and free.any():
        chance = shares * left / shares[free].sum()
        sure = free & (chance >= 1 - 1e-12)
        if not sure.any():
            inside[free] = chance[free]
            break
        inside[sure], free = 1.0, free & ~sure
    order = draw.permutation(np.flatnonzero(inside))
    ends = np.cumsum(inside[order])
    points = np.arange(round(ends[-1])) + draw.random()
    found = order[np.minimum(np.searchsorted(ends, points, side="right"), len(order) - 1)]
    stands = shares[found] / inside[found]
    return found, stands / stands.sum()


@dataclass(frozen=True)
class Channel:
    """Exact value, bias and variance of a round's aggregate, as functions of a value that all clients send.

    Attributes: distinct (ε, low, high) of the clients, (3, n), their weights and squared weights, (n,) each.
    """

    pieces: Sequence[Piece]
    kinds: Floats
    weights: Floats
    squares: Floats
    on_grid: bool
    tables: dict[int, tuple[Floats, Floats]] = field(default_factory=dict)

    @classmethod
    def of(cls, federation: Federation, prepared: Round, last: Channel | None) -> Channel:
        """Channel of a round; the `last` one if nothing has changed."""
        experiment, plan, population = federation.experiment, federation.plan, federation.population
        chosen, shares, number = prepared.participants, prepared.client_weights, prepared.number
        ones = np.ones((len(chosen), 1), dtype=np.float32)
        there = experiment.trust.contributed(plan.terms, ones, chosen, number)[:, 0]
        each = np.stack([population.epsilon[chosen], population.low[chosen], population.high[chosen]])
        kinds, of = np.unique(each, axis=1, return_inverse=True)
        of, many = of.ravel(), kinds.shape[1]
        pointwise = plan.randomiser.region == "box" and experiment.form == "corrected"
        if (most := KINDS[pointwise]) < many:  # by rising ε
            of, kinds = of * most // many, kinds[:, (np.arange(most) * 2 + 1) * many // (2 * most)]
        count = kinds.shape[1]
        weights, squares = (np.bincount(of, by, count).astype(float) for by in (shares * there, shares**2))
        made = cls(federation.plan.pieces(number), kinds, weights, squares, pointwise and count > FEW)
        return last if last and last._equals(made) else made

    def _equals(self, other: Channel) -> bool:
        mine, theirs = ((one.kinds, one.weights, one.squares) for one in (self, other))
        return self.pieces == other.pieces and all(map(np.array_equal, mine, theirs))

    def mean(self, values: Floating, stands: Floats) -> Floats:
        """Exact value, bias and variance (3, R, m) of the aggregate, if the values (R·n, m) of each row of
        `stands` (R, n) were sent by such shares of the clients.
        """
        found = np.zeros((3, len(stands), values.shape[1]))
        places = [divmod(row, stands.shape[1]) for row in range(len(values))]
        for rows in some_rows(values.shape):
            for piece in self.pieces:
                part = self._at(piece, values[rows, piece.columns].astype(np.float64))
                for i, place in enumerate(places[rows]):
                    for one, of in zip(found, part, strict=True):
                        one[place[0], piece.columns] += stands[place] * of[i]
        return found

    def _at(self, piece: Piece, values: Floats) -> Sequence[Floats]:
        if not self.on_grid:
            return self._moments(piece, values)
        start = piece.columns.start or 0
        if start not in self.tables:
            grid = np.linspace(self.kinds[1].min(), self.kinds[2].max(), GRID)
            self.tables[start] = grid, np.stack(self._moments(piece, grid[None]))[:, 0]
        grid, table = self.tables[start]
        return [np.interp(values, grid, row) for row in table]

    def _moments(self, piece: Piece, values: Floats) -> Sequence[Floats]:
        exact, bias, variance = np.zeros((3, *values.shape))
        for kind, weight, square in zip(self.kinds.T, self.weights, self.squares, strict=True):
            epsilon, low, high = (np.full((len(values), 1), one) for one in kind)
            clipped = np.asarray(piece.mechanism.clip(values, low, high), dtype=np.float64)
            mean, spread = piece.mechanism.at(epsilon, low, high).moments(clipped)
            exact += weight * clipped
            bias += weight * (mean - clipped)
            variance += square * spread
        return exact, bias, variance
