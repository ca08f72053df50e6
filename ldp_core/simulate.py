"""A run, from experiment to events: pure, so the same experiment gives the same events.

No files, no clock, no printing: the worker writes the events to the store, the command line prints
them, a test collects them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
import torch

from ldp_core import accounting
from ldp_core.bits import packed
from ldp_core.datasets import Data
from ldp_core.engines.choice import Kind
from ldp_core.engines.joint_training import Work
from ldp_core.errors import Diverged
from ldp_core.events import Ended, Event, RoundDone, Started, Status, Target, Trained
from ldp_core.experiment import Experiment, departures
from ldp_core.experiment.threat_model import why_not
from ldp_core.federated.evaluate import Score, evaluate, per_group
from ldp_core.federated.federation import (
    Federation,
    assemble,
    choose_device,
    initial_weights,
    taking_part,
)
from ldp_core.federated.privacy_filter import PrivacyFilter
from ldp_core.federated.round import RoundResult, round_steps
from ldp_core.federated.state import State
from ldp_core.images import encode
from ldp_core.leakage.observe import Victims, spread_by_budget
from ldp_core.leakage.online import Attempts
from ldp_core.system.threads import on_one_thread
from ldp_core.systems import Participation

Steps = Generator[Event | Work, torch.Tensor, None]


@on_one_thread
def simulate(
    experiment: Experiment,
    data: Data,
    device: torch.device | None = None,
    start: State | None = None,
    keep: Callable[[State], None] | None = None,
    tick: Callable[[float], None] | None = None,
) -> Iterator[Event]:
    """Run `experiment` on `data`, yielding events as they happen.

    Bit-equal on the same kind of machine.

    Args and errors: as `steps` has them.
    """
    under_way = steps(experiment, data, device, start, keep, tick)
    said = next(under_way, None)
    while said is not None:
        if isinstance(said, Work):
            said = under_way.send(said.alone())  # after its work a run always says something
        else:
            yield said
            said = next(under_way, None)


def steps(
    experiment: Experiment,
    data: Data,
    device: torch.device | None = None,
    start: State | None = None,
    keep: Callable[[State], None] | None = None,
    tick: Callable[[float], None] | None = None,
    engine: Kind | Literal[""] = "",
    figures: bool = False,
) -> Steps:
    """A run that does not train: it yields events and work, and is sent the trained weights of each work.

    Args:
        experiment: what to run.
        data: its data set.
        device: where; by default a GPU where there is one.
        start: go on from here; what happened before is not told again.
        keep: is given the state after each round (and before the first), ahead of the round's event.
        tick: is told, within a round, the share of its training that is done.
        engine: the kind to begin with; "" for what the environment says, or this machine is best at.
        figures: nobody asks for more than what a run without attacks comes to: only its last round is
            measured, there is no ledger, and a small run takes some 0.6 of the time. One that
            diverges has then measured nothing.

    Raises:
        InvalidInput: a partition that cannot give every client a sample.
        Diverged: the model that it begins with has no scores.
    """
    began = start.engine if start else engine
    federation = assemble(experiment, data, device or choose_device(), tick, began)
    weights = initial_weights(federation)
    if start is not None:
        weights = torch.from_numpy(start.weights.copy()).to(weights.device)
    joined = taking_part(federation, start.arrays if start else None)
    budgets, watched = (
        PrivacyFilter(experiment, start.uploads if start else None),
        spread_by_budget(federation),
    )
    attempts = Attempts(federation)
    score = None if figures else evaluate(federation, weights, joined)
    if start is None:
        if keep:
            keep(_state(0, weights, budgets, joined, federation))
        if score:
            yield _started(federation, score, attempts)
        yield from _targets(federation, attempts.victims)

    status: Status = "completed"
    message, finished, unnoised = "", start.round if start else 0, None
    for number in range(finished + 1, experiment.rounds + 1):
        begun = attempts.begun(weights, joined)
        measured = not figures or number == experiment.rounds
        try:
            result = yield from round_steps(federation, weights, number, budgets, joined, measured)
            found = evaluate(federation, result.weights, joined) if measured else None
        except Diverged as error:
            status, message = "diverged", f"diverged at round {number}: {error}"
            break
        yield from attempts.round(weights, number, begun)
        weights, finished, score = result.weights, number, found
        if keep:
            keep(_state(number, weights, budgets, joined, federation))
        if score is None:
            yield Trained(number)
            continue
        done = _round_done(federation, result, score, number)
        spent = {} if figures else budgets.spent(watched)
        yield replace(done, spent=spent, stopped=budgets.stopped)
        if number == experiment.rounds and experiment.mechanism.role != "identity" and not figures:
            unnoised = evaluate(federation, result.unnoised, joined).accuracy
    yield from attempts.afterwards()

    score = score or evaluate(federation, weights, joined)
    yield Ended(
        status=status,
        round=finished,
        accuracy=score.accuracy,
        accuracy_unnoised=unnoised,
        message=message,
        weights_sha256=hashlib.sha256(weights.cpu().numpy().astype("<f4").tobytes()).hexdigest(),
        ledger=[] if figures else accounting.to_json(accounting.entries(experiment)),
        held_out=len(federation.test_y),
        right="" if score.right is None else packed(score.right),
    )


def _state(
    number: int,
    weights: torch.Tensor,
    budgets: PrivacyFilter,
    joined: Participation,
    federation: Federation,
) -> State:
    arrays = {name: array.copy() for name, array in joined.arrays.items()}
    return State(number, weights.cpu().numpy(), budgets.count, arrays, federation.engine.kind)


def _started(federation: Federation, score: Score, attempts: Attempts) -> Started:
    experiment = federation.experiment
    counts = np.bincount(federation.test_labels)
    return Started(
        experiment=experiment.as_json(),
        key=experiment.key,
        dimension=experiment.uploaded,
        device=str(federation.device),
        engine=federation.engine.description,
        engine_kind=federation.engine.kind,
        accuracy=score.accuracy,
        accuracy_per_class=score.per_class,
        loss=score.loss,
        mean_image=encode(federation.test_x.mean(0).cpu().numpy()) if attempts.spies else None,
        chance=float(counts.max() / counts.sum()),
        targets=len(attempts.victims.clients),
        spies=[spy.as_json() for spy in attempts.spies],
        attack_note=why_not(experiment),
        departures=[one.as_json() for one in departures(experiment)],
    )


def _targets(federation: Federation, victims: Victims) -> Iterator[Target]:
    for client, sample in zip(victims.clients, victims.samples, strict=True):
        yield Target(
            client=int(client) + 1,
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
            for name, members in federation.groups.items()
        },
        spent={},
        stopped=0,
        accuracy_per_client=score.per_client,
        accuracy_own_mix=score.own_mix,
        heterogeneity=result.heterogeneity,
    )
