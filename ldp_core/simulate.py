"""A run, from experiment to events: pure, so equal experiments give equal events.

No files, clock or printing: workers store the events, the command line prints them, tests collect them.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import torch

from ldp_core import accounting
from ldp_core.datasets import Data
from ldp_core.errors import Diverged
from ldp_core.events import Ended, Event, RoundDone, Started, Target, Trained
from ldp_core.events.run import packed
from ldp_core.experiment import Experiment, departures, plan
from ldp_core.federated.evaluate import Score, evaluate, per_group
from ldp_core.federated.federation import assemble, device_for, taking_part, untrained
from ldp_core.federated.noising import Noised, Noising
from ldp_core.federated.round import Round, RoundResult, finish, noisings, prepare
from ldp_core.federated.state import State
from ldp_core.images import encode
from ldp_core.leakage.online import Attempts
from ldp_core.system.threads import on_one_thread


@on_one_thread
def simulate(
    experiment: Experiment,
    data: Data,
    device: torch.device | None = None,
    start: State | None = None,
    keep: Callable[[State], None] | None = None,
    tick: Callable[[float], None] | None = None,
) -> Iterator[Event]:
    """Run `experiment` on `data`; yields events as they happen, bit-equal on the same kind of machine.

    Arguments and errors as for `Simulation`; `keep` receives the state before the first round and after each.
    """
    run = Simulation(experiment, data, device, start, tick)
    for part in run.parts():
        for event in part:
            if keep and isinstance(event, Started | RoundDone):
                keep(run.state)
            yield event


class Simulation:
    """A run under a driver's control: `begin`, then `prepare`, `noisings` and `finish` until `done`, then
    `end`. Their iterators must be consumed. `state` is after the last finished round. `tick` receives the
    trained share of a round. `figures`: without attacks, only the last round is measured and there is no
    ledger, in 0.6 of the time. `later`: the driver calls `attacks` before `end` until none is `pending`;
    otherwise a round begins with its own. InvalidInput: no sample for some client.
    """

    def __init__(
        self,
        experiment: Experiment,
        data: Data,
        device: torch.device | None = None,
        start: State | None = None,
        tick: Callable[[float], None] | None = None,
        figures: bool = False,
        later: bool = False,
    ) -> None:
        resolved, began = plan(experiment).resolved, start.engine if start else ""
        experiment = resolved.experiment
        self._experiment, self._fresh, self._figures = experiment, start is None, figures
        self._federation = assemble(resolved, data, device or device_for(resolved, began), tick, began)
        self._budgets, self._watched = self._federation.budgets, resolved.spread_by_budget()
        self._attempts = Attempts(self._federation)
        self.state = start or untrained(self._federation)
        self.pending = list[State]()
        """States before the finished rounds whose attacks are still to come."""
        self._later, self._whole = later, self.state
        self.done = self.state.round >= experiment.rounds
        self._score: Score | None = None
        self._unnoised: float | None = None
        self._why = ""

    def parts(self) -> Iterator[Iterator[Event]]:
        """Events of the beginning, of each round and of the end, trained on its own."""
        yield self.begin()
        while not self.done:
            prepared = self.prepare()
            asked = self.noisings(prepared, prepared.alone())
            yield self.finish(prepared, (one.alone() for one in asked))
        yield self.end()

    def begin(self) -> Iterator[Started | Target]:
        """Events before the first round; none when resumed."""
        self._score = None if self._figures else self._scored(self.state)
        if not self._fresh:
            return
        if self._score:
            yield self._started(self._score)
        federation, victims = self._federation, self._attempts.victims
        for client, sample in zip(victims.clients, victims.samples, strict=True):
            yield Target(
                client=int(client) + 1,
                epsilon=float(federation.population.epsilon[client]),
                label=int(federation.train_y[sample]),
                image=encode(federation.pictures(federation.train_x[sample])),
            )

    def prepare(self) -> Round:
        """First half of the next round: its training."""
        return prepare(self._federation, self.state)

    def noisings(self, prepared: Round, trained: Iterable[torch.Tensor]) -> Iterator[Noising]:
        """What the next round perturbs, given the trained weights; Diverged if they are too large."""
        return noisings(prepared, trained, not self._figures or prepared.number == self._experiment.rounds)

    def finish(self, prepared: Round, noised: Iterable[Noised]) -> Iterator[Event]:
        """Second half of a round, given its `noisings`, perturbed; a diverged round has no event."""
        before, last = self.state, prepared.number == self._experiment.rounds
        measured = last or not self._figures
        try:
            result = finish(prepared, noised, measured)
            score = self._scored(result.state) if measured else None
        except Diverged as error:
            self.done, self._why = True, f"diverged at round {prepared.number}: {error}"
            return
        if self._attempts.attack(prepared.number):
            self.pending.append(before)
        if self.pending and not self._later:
            yield from self.attacks()
        self.state, self.done, self._score = result.state, last, score
        self._whole = before if last else result.state
        yield self._round_done(result, score) if score else Trained(prepared.number)
        if last and self._federation.plan.randomiser.role != "identity" and not self._figures:
            self._unnoised = self._scored(self.state, result.unnoised).accuracy

    def attacks(self) -> Iterator[Event]:
        """Attacks of the earliest rounds that wait for them."""
        some = self.pending[: self.together]
        yield from self._attempts.rounds(some)
        del self.pending[: len(some)]

    @property
    def together(self) -> int:
        """Number of rounds that `attacks` takes at once."""
        return self._attempts.together

    @property
    def checkpoint(self) -> State:
        """State to resume from: before the attacks to come, and before the last round, as the end tells what
        only its training shows.
        """
        return self.pending[0] if self.pending else self._whole

    def end(self) -> Iterator[Event]:
        """Postponed attacks, then the end event."""
        yield from self._attempts.afterwards()
        score = self._score or self._scored(self.state)
        yield Ended(
            status="diverged" if self._why else "completed",
            round=self.state.round,
            accuracy=score.accuracy,
            accuracy_unnoised=self._unnoised,
            message=self._why,
            weights_sha256=hashlib.sha256(self.state.as_bytes()[0]).hexdigest(),
            ledger=[] if self._figures else accounting.to_json(accounting.entries(self._federation.plan)),
            held_out=len(self._federation.test_y),
            **self._attempts.at_end(self.state),
            right="" if score.right is None else packed(score.right),
        )

    def _scored(self, state: State, model: torch.Tensor | None = None) -> Score:
        weights = self._federation.placed(state.weights) if model is None else model
        return evaluate(self._federation, weights, taking_part(self._federation, state.arrays))

    def _started(self, score: Score) -> Started:
        federation, plan, attempts = self._federation, self._federation.plan, self._attempts
        return Started(
            experiment=plan.experiment.as_json(),
            key=plan.key,
            dimension=plan.uploaded,
            device=str(federation.device),
            engine=federation.engine.description,
            engine_kind=federation.engine.kind,
            accuracy=score.accuracy,
            accuracy_per_class=score.per_class,
            loss=score.loss,
            mean_image=encode(federation.pictures(federation.test_x.mean(0))) if attempts.spies else None,
            chance=float(federation.test_counts.max() / len(federation.test_labels)),
            targets=len(attempts.victims.clients),
            spies=[spy.as_json() for spy in attempts.spies],
            attack_note=plan.why_not,
            departures=[one.as_json() for one in departures(plan.experiment)],
            libraries=f"numpy {np.__version__}, torch {torch.__version__}",
        )

    def _round_done(self, result: RoundResult, score: Score) -> RoundDone:
        uploads = result.state.uploads
        return RoundDone(
            round=result.state.round,
            accuracy=score.accuracy,
            accuracy_per_class=score.per_class,
            accuracy_per_group=per_group(self._federation, score),
            loss=score.loss,
            noise_variance=result.noise_variance,
            noise_variance_theory=result.noise_variance_theory,
            signal_variance=result.signal_variance,
            clipped_fraction=result.clipped_fraction,
            participants=len(result.participants),
            client_weights={
                name: float(result.client_weights[members[result.participants]].sum())
                for name, members in self._federation.groups.items()
            },
            spent={} if self._figures else self._budgets.spent(uploads, self._watched),
            stopped=self._budgets.stopped(uploads),
            accuracy_per_client=score.per_client,
            accuracy_own_mix=score.own_mix,
            heterogeneity=result.heterogeneity,
        )
