"""What follows from an experiment, worked out once: what clients send, on which terms, and who is attacked.

An `Experiment` is what was asked; `plan(experiment)` is its `Plan`, whose expensive parts are made when they
are first needed. Pages and runs ask only here.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ldp_core import attacks, datasets, limits, models, systems
from ldp_core.attacks import Facts
from ldp_core.attacks.servers import Server
from ldp_core.attacks.shared.beside import AttackSchedule, TrainingCost, beside
from ldp_core.attacks.shared.search import Search
from ldp_core.component import Part
from ldp_core.composition.spending import Releases, Spending
from ldp_core.datasets.base import Labels
from ldp_core.experiment.attack import HONEST, Spy
from ldp_core.experiment.schema import LATER, PER, Experiment
from ldp_core.experiment.upload_schedule import Turns
from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms import registry as all_mechanisms
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise
from ldp_core.models.chain import is_chain
from ldp_core.streams import stream
from ldp_core.trust import Piece, Population, Terms

PLANS = 64
"""Number of plans that are kept; the largest, of 60 000 clients, hold 2 MB each."""
FEW_ROUNDS = 5
"""Number of rounds up to which training does not recover from a random start."""
ROUNDING = 1 + 1e-9
"""Factor on what a record moves, beyond all rounding in double precision."""
OTHER_RECORDS = ("all other records of the client, whose share it takes off the upload",)


@dataclass(frozen=True, eq=False)
class Plan:
    experiment: Experiment

    @cached_property
    def source(self) -> datasets.Dataset:
        """Data set as training sees it, after feature extraction: shape, classes, number of samples."""
        found = datasets.get(self.experiment.dataset)
        return self.experiment.features.seen(found) if found.images else found

    def split(self, labels: Labels) -> list[Labels]:
        """The places of each client's samples among those with these labels. Raises InvalidInput: the
        partition cannot give every client a sample.
        """
        asked = self.experiment
        generator = stream(asked.seed, "partition")
        return asked.partition.among(self.source.owners, labels, asked.clients.count, generator)

    @property
    def records(self) -> float:
        """Number of training samples of an average client, which is public."""
        return self.experiment.partition.held(self.source.train_size, self.experiment.clients.count)

    @cached_property
    def network(self) -> models.Model:
        """The network that a client trains: the model, possibly extended by the system. A linear model
        without a chosen start begins at zero where budgets cover a person's whole run: few changes are
        affordable then, too few to undo a random start.
        """
        asked = self.experiment
        if asked.system:
            return asked.system.extends(asked.model)
        begin = getattr(asked.model, "begin", None)
        if begin is None:
            return asked.model
        a_persons = asked.clients.epsilon_scope == "run" or asked.selection.name == "once"
        few = asked.rounds <= FEW_ROUNDS and asked.target != "weights"
        zero = begin == "zero" or (begin == "open" and a_persons and few)
        return asked.model.model_copy(update={"begin": "zero" if zero else "open"})

    @cached_property
    def layers(self) -> tuple[slice, ...]:
        return self.network.layers(self.source.shape, self.source.classes)

    @cached_property
    def dimension(self) -> int:
        """Number of weights of the network, d."""
        return self.network.dimension(self.source.shape, self.source.classes)

    @property
    def chunk(self) -> int:
        """Largest number of clients whose training fits into memory at once."""
        return max(1, limits.CHUNK_BYTES // (4 * self.dimension))

    @cached_property
    def sent(self) -> slice:
        """Slice of the network's weight vector that clients upload: all of it, unless a system keeps some
        weights local, or clients send class means, from which the server derives the biases.
        """
        system = self.experiment.system
        if self.experiment.target == "class_means":
            return slice(0, self.source.classes * self.source.features)
        return system.sends(self.layers) if system else slice(0, self.dimension)

    @cached_property
    def uploaded(self) -> int:
        return int(self.sent.stop - self.sent.start)

    @cached_property
    def tells(self) -> systems.Sent:
        """Numbers of perturbed and of clear weights in an upload."""
        system = self.experiment.system
        return system.tells(self.uploaded, self.experiment.form) if system else systems.Sent(self.uploaded)

    @cached_property
    def record_clipping(self) -> models.RecordClipping | None:
        """Bound on each sample's gradient where ε is a record's; None where it is a client's."""
        clip = self.experiment.local.clip
        return models.RecordClipping(clip, self.records) if clip else None

    @property
    def reach(self) -> float:
        """Half the largest distance of two uploads that differ in one record; 0 where ε is a client's."""
        by = self.record_clipping
        return self.experiment.local.learning_rate * by.length / by.count * ROUNDING if by else 0.0

    @cached_property
    def public(self) -> systems.Public:
        asked = self.experiment
        return systems.Public(
            clients=asked.clients.count,
            dataset=asked.dataset,
            target=asked.target,
            form=asked.form,
            layers=self.layers,
            sent=self.sent,
            model=asked.model,
            mechanism=asked.mechanism,
            ranges=asked.clients.bounds(),
        )

    @cached_property
    def asked(self) -> Terms:
        """Terms without the trust model."""
        asked, clients = self.experiment, self.experiment.clients
        return Terms(
            public=self.public,
            mechanism=self._formed,
            people=Population(clients.budgets(), *self.public.ranges),
            scope=clients.epsilon_scope,
            rounds=asked.rounds,
            seed=asked.seed,
            uploads=self.most_uploads,
            limited=clients.run_limit is not None,
            tells=self.tells,
            samples=self.source.train_size,
            records=self.records,
            labels=self.source.classes if asked.target == "class_means" else 1,
            reach=self.reach,
            selection=asked.selection,
            aggregator=asked.aggregator,
            system=asked.system,
        )

    @cached_property
    def terms(self) -> Terms:
        """Terms on which clients send; raises `InvalidInput` if no ε of a use keeps to that of the run."""
        return self.experiment.trust.agreed(self.asked)

    @property
    def _formed(self) -> Mechanism:
        """The mechanism in the experiment's form, for whole uploads if budgets are per upload or run."""
        asked = self.experiment
        formed = asked.mechanism.formed(asked.form)
        if self.record_clipping and isinstance(formed, GaussianNoise):
            return formed.of_records(self.reach, self.source.train_size)
        if asked.system:
            formed = asked.system.made(formed, asked.form)
        return formed if asked.clients.epsilon_scope == "mechanism" else formed.for_uploads()

    @cached_property
    def randomiser(self) -> Mechanism:
        """The mechanism under this trust, fitted to a whole upload of the first round, or its first layer."""
        return self.terms.mechanism.fitted(self.asked.first_use)

    def pieces(self, round: int = 1) -> tuple[Piece, ...]:
        return self.terms.pieces(round)

    @property
    def releases(self) -> Releases:
        return self.terms.releases

    @property
    def population(self) -> Population:
        """Every client's ε of one use of the mechanism, and its safe range."""
        return self.terms.people

    def per_use(self, asked: Floats, low: Floats, high: Floats) -> Floats:
        """ε of one use of the mechanism for given budgets, with safe ranges of the same shape."""
        return self.experiment.trust.per_use(self.asked, asked, low, high)

    @property
    def most_uploads(self) -> int:
        """Largest number of uploads of a client in the run, ignoring its own ε limit."""
        return self.experiment.selection.most_uploads(self.experiment.clients.count, self.experiment.rounds)

    @cached_property
    def turns(self) -> Turns:
        return Turns(self.experiment, lambda: (self.population, self.prices))

    @cached_property
    def prices(self) -> Spending:
        """Rules that give the ε of a client's uploads, as the experiment's trust has them."""
        return self.experiment.trust.prices(self.terms)

    @property
    def covers(self) -> str:
        """What a client's ε covers, such as “per weight”."""
        scope = self.experiment.clients.epsilon_scope
        words = PER[self.randomiser.scope if scope == "mechanism" else scope]
        if self.experiment.unit == "client":
            return words
        return "for one record's whole run" if scope == "run" else f"{words}, of one record"

    @property
    def correction(self) -> str:
        """What the corrected form corrects here, in one or two sentences; "" if both forms agree."""
        system = self.experiment.system
        own = [system.corrects(self.public)] if system else []
        own += [self.experiment.mechanism.corrected] if self.randomiser.printed_otherwise else []
        return " ".join(filter(None, own))

    @cached_property
    def attacked(self) -> Plan:
        """Plan with the uploads that an attacker can observe under the experiment's trust."""
        seen = self.experiment.trust.attacked()
        if seen is self.experiment.trust:
            return self
        return plan(self.experiment.model_copy(update={"trust": seen}))

    @cached_property
    def spies(self) -> tuple[Spy, ...]:
        """Attacks on uploads; empty without an attack, or if `why_not` gives a reason."""
        attack = self.experiment.attack
        if attack is None or self._unfit:
            return ()
        seen = [self.facts(upload, attack.rounds_observed, attack.server) for upload in attack.kinds]
        found = [(one.upload, attack.attacker or attacks.choose(one), one) for one in seen]
        return tuple(Spy(upload, who, one) for upload, who, one in found if who is not None)

    @cached_property
    def resolved(self) -> Plan:
        """Plan of the experiment with its automatic attack settings made explicit: attacker, clients, rounds,
        effort. Chosen settings stay; `beside` bounds the effort of an automatic attacker. Both have the same
        key. This one without an attack, or if two attackers each have a kind of upload.
        """
        attack = self.experiment.attack
        if attack is None or (attack.attacker and attack.clients) or not self.spies:
            return self
        able = self.spies
        clients = attack.clients or tuple((self.spread_by_budget() + 1).tolist())
        schedule = AttackSchedule(attack.every, victims=len(clients))
        if not (attack.attacker or attack.every > 1 or attack.rounds):
            who = [(spy.who, spy.facts) for spy in able]
            least = len(clients) if attack.clients else 1
            schedule = beside(who, self._training(), len(clients), least)
        first, *others = (spy.who for spy in able)
        own = first.at_most(schedule.steps) if schedule.steps and isinstance(first, Search) else first
        filled_in = {
            "attacker": own if all(who == first for who in others) else None,
            "clients": clients[-schedule.victims :],
            "uploads": able[0].upload if not others else attack.uploads,
            "every": schedule.every,
            "rounds": (1,) if schedule.once else attack.rounds,
            "after": schedule.after or attack.after,
        }
        explicit = attack.model_copy(update=filled_in)
        return plan(self.experiment.model_copy(update={"attack": explicit}))

    def spread_by_budget(self) -> NDArray[np.int64]:
        """Indices, from 0, of the clients with the least, the median and the greatest ε; at most `count`."""
        by_budget = np.argsort(self.population.epsilon, kind="stable")
        last = len(by_budget) - 1
        return by_budget[list(dict.fromkeys([0, last // 2, last]))]

    def _training(self) -> TrainingCost:
        source, asked = self.source, self.experiment
        return TrainingCost(
            rounds=asked.rounds,
            samples=self.turns.expected * source.train_size * asked.local.epochs,
            products=self.network.products(source.shape, source.classes),
            dimension=self.dimension,
            chain=is_chain(self.network, source.shape, source.classes),
        )

    @property
    def why_not(self) -> str:
        """Sentence on why the requested attack cannot run; "" if it can, or none is requested."""
        attack = self.experiment.attack
        if attack is None or self.spies:
            return ""
        return self._unfit or self.why_no_attacker(attack.kinds[0])

    def why_no_attacker(self, upload: str) -> str:
        """Sentence on why no automatic attacker suits a kind of upload."""
        what = "an image out of such an upload" if upload == "audit" else "many images out of one upload"
        summed = ": their gradients are added up, and other images have the same sum"
        why = "" if upload == "audit" else summed
        title = self.experiment.model.title
        return f"no attacker here reads {what} through “{title}” by itself{why}; choose one by name"

    @cached_property
    def _unfit(self) -> str:
        asked, source = self.experiment, self.source
        if asked.trust.unseen:
            return asked.trust.unseen
        if not self.readable:
            label, mechanism = getattr(asked.system, "label", ""), asked.mechanism.label
            return (
                f"an upload of {label} under {mechanism} has no law that is known; choose another mechanism"
            )
        if not asked.features.identity:
            return (
                f"clients turn each image into {source.features} numbers before they train, and no attacker "
                "here turns such numbers back into pixels; choose the features none, or no attack"
            )
        who = asked.attack.attacker if asked.attack else None
        name = who.name if who else "auto"
        return attacks.unfit(asked.model, source.shape, source.classes, name, asked.local.optimizer)

    @property
    def measurable(self) -> bool:
        """Whether a lower bound on ε can be measured, also where no attacker reconstructs images."""
        return bool(self.experiment.attack and self.readable)

    @property
    def readable(self) -> bool:
        """Whether the server can compute an upload's likelihood given the image it was made of."""
        system = self.experiment.system
        return system is None or system.readable(self.experiment.mechanism, self.experiment.form)

    def facts(self, upload: str, rounds: int = 1, server: Server = HONEST) -> Facts:
        """Public facts about one kind of upload, observed in `rounds` rounds by a server."""
        audit, source, asked, seen = upload == "audit", self.source, self.experiment, self.attacked
        helps = seen.experiment.trust.helps
        if helps and server.silences:
            helps = ("what the other clients of the sum send, whom it sent a model with dead units",)
        also = helps + OTHER_RECORDS * (audit and asked.unit == "record")
        return Facts(
            upload=upload,
            target=asked.target,
            optimizer=asked.local.optimizer,
            learning_rate=asked.local.optimizer.rate(1, asked.local.learning_rate),
            model=asked.model,
            mechanism=seen.terms.mechanism,
            batch_size=1 if audit else asked.local.batch_size,
            epochs=1 if audit else asked.local.epochs,
            rounds=rounds,
            shape=source.shape,
            classes=source.classes,
            clear=0.0 if asked.mechanism.role == "identity" else self.tells.clear / self.uploaded,
            kept=self.uploaded < self.dimension,
            also=asked.system.server_knows(self.public) if asked.system else also,
            summed=bool(helps),
            server=server,
        )

    @cached_property
    def key(self) -> str:
        """Twelve hex digits, equal for two experiments if and only if their runs are the same. The name does
        not count; the version of changeable data does. Attacks count in resolved form.
        """
        asked, version = self.experiment, self.source.version
        parts = self.resolved.experiment.as_json() | {"name": ""} | ({"data": version} if version else {})
        if asked.system is None:
            parts["model"] = Part(models.registry, "name", short=True).serialise(self.network)
        parts = {name: value for name, value in parts.items() if LATER.get(name, ...) != value}
        if asked.clients.epsilon_scope != "mechanism":
            parts["mechanism"] = Part(all_mechanisms, "name").serialise(asked.mechanism.for_uploads())
        text = json.dumps(parts, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def plan(experiment: Experiment) -> Plan:
    """The plan of an experiment, the same one as long as its data do not change."""
    return of_version(experiment, datasets.get(experiment.dataset).version)


@lru_cache(PLANS)
def of_version(experiment: Experiment, version: str) -> Plan:
    return Plan(experiment)
