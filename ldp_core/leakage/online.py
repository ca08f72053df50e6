"""Attacks during training: every attacked round, on every victim, with both controls."""

from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ldp_core.attacks import Observation
from ldp_core.attacks.findings import metrics
from ldp_core.attacks.observation import Image
from ldp_core.attacks.shared.search import Search, SearchBatch
from ldp_core.events import Attacked, Frame
from ldp_core.experiment import Spy
from ldp_core.experiment.attack import Attack
from ldp_core.federated.federation import Federation, untrained
from ldp_core.federated.noising import Draws
from ldp_core.federated.state import State
from ldp_core.images import encode
from ldp_core.leakage.candidates import line_up
from ldp_core.leakage.crafted import observe_lied
from ldp_core.leakage.epsilon_lower_bound import measured
from ldp_core.leakage.identification import identify, would_send
from ldp_core.leakage.observe import (
    ControlKind,
    Victims,
    VictimStart,
    attacked,
    audit_values,
    begun_together,
    choose_victims,
    observe,
    public_images,
    real_values,
)
from ldp_core.leakage.scores import identification_bounds, score_audits, score_real
from ldp_core.leakage.sum_and_heap import from_heap, from_sum
from ldp_core.mechanisms.shared.blocks import BLOCK
from ldp_core.streams import Purpose, stream

AT_ONCE = 2**18
"""Number of weights in the candidates' uploads of the rounds that are attacked at once."""
MOST_MEMBERS = 2000
"""Largest number of a client's images that are looked for in a real upload."""


class Attempts:
    """Attacks of a run, round by round; none without an attack."""

    def __init__(self, federation: Federation) -> None:
        plan, experiment, self.spies = federation.plan, federation.experiment, federation.plan.spies
        attack, self._federation = experiment.attack, attacked(federation)
        self._waits = bool(attack and attack.after)
        self._rounds = attack.attacked(experiment.rounds) if attack else ()
        self._seen = _Attacked(self._federation, attack) if attack and plan.measurable else None
        self._under = self._seen if self.spies else None
        self.victims = self._under.victims if self._under else Victims(*(np.empty(0, np.int64),) * 2)
        nothing = np.zeros(experiment.clients.count, np.int64)
        if not federation.budgets.can_afford(nothing)[self.victims.clients].any():
            self._under = None  # there is no upload to attack

    def attack(self, number: int) -> bool:
        """Whether uploads of a round are attacked, by `rounds`."""
        return bool(self._under) and not self._waits and number in self._rounds

    @property
    def together(self) -> int:
        """Number of rounds whose uploads are attacked at once."""
        plan = self._federation.plan
        alike = all(spy.upload == "audit" and spy.who.many_models for spy in self.spies)
        by_value = all(piece.mechanism.law.by_value for piece in plan.pieces(1))
        if self._under is None or len(self.spies) > 1 or plan.experiment.system or len(plan.releases) > 1:
            return 1
        if not alike or not by_value or plan.uploaded > BLOCK:
            return 1
        return max(1, AT_ONCE // (plan.uploaded * self._under.lineup.any_class.y.size))

    def rounds(self, before: Sequence[State]) -> Iterator[Attacked | Frame]:
        """Attacks in the rounds after some states, `together` of them at most."""
        if self._under:
            yield from self._under.attempts(self.spies, before)

    def at_end(self, after: State) -> dict[str, Any]:
        """`measured`, `from_sum` and `from_heap` of the end event, given the run's last state."""
        if self._seen is None:
            return {}
        known = self._seen.victims, self._seen.lineup
        audited = any(spy.upload == "audit" for spy in self.spies)
        sums = {"from_sum": from_sum(self._federation, *known)} if audited else {}
        heaps = {"from_heap": from_heap(self._federation, *known)}
        return {"measured": measured(self._federation, after, *known)} | sums | heaps

    def afterwards(self) -> Iterator[Attacked | Frame]:
        """Attacks that wait until training has ended."""
        if self._under and self._waits:
            yield from self._under.attempts(self.spies, [untrained(self._federation)])


class _Attacked:
    def __init__(self, federation: Federation, attack: Attack) -> None:
        self._federation, self._times, self._server = federation, attack.rounds_observed, attack.server
        self.victims = victims = choose_victims(federation)
        chosen = victims.samples.tolist(), victims.clients.tolist()
        self.lineup = line_up(federation, *chosen, attack.candidates)
        self._public = public_images(federation)

    def attempts(self, spies: Sequence[Spy], before: Sequence[State]) -> Iterator[Attacked | Frame]:
        start = begun_together(self._federation, self.victims.clients, before)
        numbers, count = [state.round + 1 for state in before], len(self.victims.clients)
        seed = self._federation.experiment.seed
        for spy in spies:
            observed = self._observed(spy, start, numbers)
            # the same start under every control and mechanism, so that only the noise differs
            starts = [stream(seed, "reconstruction", numbers[0]) for _ in observed]
            read = [seen.with_ranges_read() for seen in observed.values()]
            if isinstance(spy.who, Search) and spy.upload == "audit":
                found = yield from self._watched(spy.who, read, starts, numbers[0])
            else:
                found = spy.who.reconstruct_all(read, generators=starts)
            if spy.upload == "audit":
                figures = self._audits(start, numbers, observed, found)
            else:
                figures = [self._real(*one) for one in zip(observed.values(), found, strict=True)]
            for place, number in enumerate(numbers):
                for control, rows in zip(observed, figures, strict=True):
                    own = rows[place * count : (place + 1) * count]
                    for client, row in zip(self.victims.clients, own, strict=True):
                        yield Attacked(
                            round=number,
                            client=int(client) + 1,
                            upload="audit" if spy.upload == "audit" else "real",
                            control=control,
                            attacker=spy.attacker,
                            **row,
                        )

    def _watched(
        self, who: Search, observed: Sequence[Observation], starts: Sequence[np.random.Generator], number: int
    ) -> Generator[Frame, None, list[Image]]:
        """Attack some observations; yields frames of the first, returns the images of all."""
        batch = SearchBatch(who, observed, starts)
        for look in batch.follow():
            if look.observation != 0 or look.done:
                continue
            guesses = metrics.clamped(batch.images(0)[:, 0])
            quality = metrics.psnr(guesses, self.lineup.originals)
            for client, guess, psnr in zip(self.victims.clients, guesses, quality, strict=True):
                yield Frame(
                    round=number,
                    client=int(client) + 1,
                    attacker=who.name,
                    iterations=look.iterations,
                    psnr=float(psnr),
                    image=encode(guess),
                )
        return [batch.images(i) for i in range(len(observed))]

    def _noise(self, purpose: Purpose, keys: Sequence[int]) -> np.random.Generator:
        """The streams of some rounds' victims, one after another."""
        each = [partial(stream, self._federation.experiment.seed, purpose, key) for key in keys]
        return each[0]() if len(each) == 1 else Draws(each, len(self.victims.clients))

    def _observed(
        self, spy: Spy, start: VictimStart, numbers: Sequence[int]
    ) -> dict[ControlKind | None, Observation]:
        audit, clients = spy.upload == "audit", self.victims.clients
        noise = self._noise("attack noise", numbers if audit else [-number for number in numbers])
        if self._server.reader:
            return observe_lied(self._server, start, clients, self._public, noise, self._times)
        samples = np.tile(self.victims.samples, len(numbers))
        exact = audit_values(start, samples) if audit else real_values(start, clients)
        return observe(start, exact, noise, spy.upload, self._times, self._public)

    def _audits(
        self,
        start: VictimStart,
        numbers: Sequence[int],
        observed: dict[ControlKind | None, Observation],
        found: Sequence[Image],
    ) -> list[list[dict[str, Any]]]:
        """Figures of each control's attempts on audit uploads, with identification bounds."""
        count, clients = self._federation.experiment.clients.count, self.victims.clients.tolist()
        lineup = self.lineup.of(np.tile(np.arange(len(clients)), len(numbers)))
        sent = would_send(start, lineup.kinds, observed[None])
        keys = [number * count + client for number in numbers for client in clients]
        noise = self._noise("identification noise", numbers)
        picked = identify(start, lineup, keys, noise, self._times, sent=sent)
        pairs = zip(observed.items(), found, strict=True)
        attempts = [(seen, guesses[:, 0], picked[control]) for (control, seen), guesses in pairs]
        rows = dict(zip(observed, score_audits(attempts, lineup), strict=True))
        for row, lines in zip(rows[None], identification_bounds(observed[None], sent[0]), strict=True):
            row["caps"] = [line.as_json() for line in lines]
            row["cap"] = min(line.value for line in lines)
        return list(rows.values())

    def _real(self, seen: Observation, guesses: Image) -> list[dict[str, Any]]:
        federation, found = self._federation, []
        for client, own in zip(self.victims.clients, guesses, strict=True):
            members = federation.pictures(federation.train_x[federation.shards[client][:MOST_MEMBERS]])
            others = federation.pictures(federation.test_x[: len(members)])
            row = score_real(own, members, others, self.lineup.mean_image)
            found.append(row | {"rounds_observed": seen.rounds})
        return found
