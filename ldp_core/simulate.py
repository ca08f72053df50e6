"""A run, from experiment to events: pure, so the same experiment gives the same events.

No files, no clock, no printing: the worker writes the events to the store, the command line prints
them, a test collects them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace

import numpy as np
import torch

from ldp_core import accounting
from ldp_core.bits import packed
from ldp_core.datasets import Data
from ldp_core.errors import Diverged
from ldp_core.events import Ended, Event, RoundDone, Started, Status, Target
from ldp_core.experiment import Experiment
from ldp_core.experiment.threat_model import why_not
from ldp_core.federated.evaluate import Score, evaluate, groups, per_group
from ldp_core.federated.federation import Federation, assemble, choose_device, initial_weights
from ldp_core.federated.privacy_filter import Purse
from ldp_core.federated.round import RoundResult, one_round
from ldp_core.federated.state import State
from ldp_core.images import encode
from ldp_core.leakage.observe import Victims, spread_by_budget
from ldp_core.leakage.online import Attempts


def simulate(
    experiment: Experiment,
    data: Data,
    device: torch.device | None = None,
    start: State | None = None,
    keep: Callable[[State], None] | None = None,
    tick: Callable[[float], None] | None = None,
) -> Iterator[Event]:
    """Run `experiment` on `data`, yielding events as they happen.

    Bit-equal on the same kind of machine with the same number of threads.

    Args:
        experiment: what to run.
        data: its data set.
        device: where; by default a GPU where there is one.
        start: go on from here; what happened before is not told again.
        keep: is given the state after each round (and before the first), ahead of the round's event.
        tick: is told, within a round, the share of its training that is done.

    Raises:
        InvalidInput: a partition that cannot give every client a sample.
    """
    federation = assemble(experiment, data, device or choose_device(), tick)
    weights = initial_weights(federation)
    if start is not None:
        weights = torch.from_numpy(start.weights.copy()).to(weights.device)
    purse, watched = Purse(experiment, start.uploads if start else None), spread_by_budget(federation)
    attempts = Attempts(federation)
    score = evaluate(federation, weights)
    if start is None:
        if keep:
            keep(State(0, weights.cpu().numpy(), purse.count))
        yield _started(federation, score, attempts)
        yield from _targets(federation, attempts.victims)

    status: Status = "completed"
    message, finished = "", start.round if start else 0
    for number in range(finished + 1, experiment.rounds + 1):
        try:
            result = one_round(federation, weights, number, purse)
        except Diverged as error:
            status, message = "diverged", f"diverged at round {number}: {error}"
            break
        yield from attempts.round(weights, number)
        weights, finished = result.weights, number
        score = evaluate(federation, weights)
        if keep:
            keep(State(number, weights.cpu().numpy(), purse.count))
        done = _round_done(federation, result, score, number)
        yield replace(done, spent=purse.spent(watched), stopped=purse.stopped)

    yield Ended(
        status=status,
        round=finished,
        accuracy=score.accuracy,
        message=message,
        weights_sha256=hashlib.sha256(weights.cpu().numpy().astype("<f4").tobytes()).hexdigest(),
        ledger=accounting.told(accounting.ledger(experiment)),
        held_out=len(score.right),
        right=packed(score.right),
    )


def _started(federation: Federation, score: Score, attempts: Attempts) -> Started:
    experiment = federation.experiment
    counts = np.bincount(federation.test_y.cpu().numpy())
    return Started(
        experiment=experiment.as_json(),
        key=experiment.key,
        dimension=experiment.dimension,
        device=str(federation.device),
        engine=federation.engine.description,
        accuracy=score.accuracy,
        accuracy_per_class=score.per_class,
        loss=score.loss,
        mean_image=encode(federation.test_x.mean(0).cpu().numpy()) if attempts.spies else None,
        chance=float(counts.max() / counts.sum()),
        targets=len(attempts.victims.clients),
        spies=[asdict(spy) | {"knows": list(spy.knows)} for spy in attempts.spies],
        attack_note=why_not(experiment),
    )


def _targets(federation: Federation, victims: Victims) -> Iterator[Target]:
    for client, sample in zip(victims.clients, victims.samples, strict=True):
        yield Target(
            client=int(client),
            epsilon=float(federation.population.epsilon[client]),
            label=int(federation.train_y[sample]),
            image=encode(federation.train_x[sample].cpu().numpy()),
        )


def _round_done(federation: Federation, result: RoundResult, score: Score, number: int) -> RoundDone:
    return RoundDone(
        round=number,
        accuracy=score.accuracy,
        accuracy_per_class=score.per_class,
        accuracy_per_group=per_group(federation, score),
        loss=score.loss,
        noise_variance=result.noise_variance,
        noise_variance_theory=result.noise_variance_theory,
        signal_variance=result.signal_variance,
        clipped_fraction=result.clipped_fraction,
        participants=len(result.participants),
        client_weights={
            name: float(result.client_weights[members[result.participants]].sum())
            for name, members in groups(federation).items()
        },
        spent={},
        stopped=0,
    )
