"""The threat model of an experiment: which uploads are attacked, by which attacker, with which knowledge.

`spies` lists all attacks of an experiment, and `why_not` gives the reason if there are none; pages and runs
ask only here.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core import attacks
from ldp_core.attacks import Facts, Reconstructor
from ldp_core.attacks.servers import Server
from ldp_core.attacks.shared.beside import AttackSchedule, Training, beside
from ldp_core.attacks.shared.search import Search
from ldp_core.experiment.attack import HONEST, attack_as_json
from ldp_core.experiment.overrides import changed
from ldp_core.experiment.schema import Experiment, kept
from ldp_core.models.chain import is_chain

OTHER_RECORDS = ("all other records of the client, whose share it takes off the upload",)


@dataclass(frozen=True)
class Spy:
    """An attack on one kind of upload: the reconstructor, and the public facts it uses."""

    upload: str
    """Kind of upload, "audit" or "real"."""
    who: Reconstructor
    facts: Facts

    @property
    def attacker(self) -> str:
        return self.who.name

    @property
    def knows(self) -> tuple[str, ...]:
        return tuple(self.who.knows(self.facts))

    def as_json(self) -> dict[str, Any]:
        return {"upload": self.upload, "attacker": self.attacker, "knows": list(self.knows)}


@kept(64)
def spies(experiment: Experiment) -> tuple[Spy, ...]:
    """Attacks of an experiment; empty without an attack, or if `why_not` gives a reason."""
    attack = experiment.attack
    if attack is None or _unfit(experiment):
        return ()
    seen = [facts(experiment, upload, attack.rounds_observed, attack.server) for upload in attack.kinds]
    found = [(one.upload, attack.attacker or attacks.choose(one), one) for one in seen]
    return tuple(Spy(upload, who, one) for upload, who, one in found if who is not None)


def resolved(experiment: Experiment) -> Experiment:
    """Copy of the experiment with its automatic attack settings made explicit: attacker, clients, rounds,
    effort. Chosen settings stay; `beside` bounds the effort of an automatic attacker. Both copies have the
    same key. Unchanged without an attack, or if two attackers each have a kind of upload.
    """
    attack = experiment.attack
    if attack is None or (attack.attacker and attack.clients):
        return experiment
    able = spies(experiment)
    if not able:
        return experiment
    clients = attack.clients or tuple((spread_by_budget(experiment) + 1).tolist())
    plan = AttackSchedule(attack.every, victims=len(clients))
    if not (attack.attacker or attack.every > 1 or attack.rounds):
        who = [(spy.who, spy.facts) for spy in able]
        least = len(clients) if attack.clients else 1
        plan = beside(who, _training(experiment), len(clients), least)
    first, *others = (spy.who for spy in able)
    own = first.at_most(plan.steps) if plan.steps and isinstance(first, Search) else first
    filled_in = {
        "attacker": own if all(who == first for who in others) else None,
        "clients": clients[-plan.victims :],
        "uploads": able[0].upload if not others else attack.uploads,
        "every": plan.every,
        "rounds": (1,) if plan.once else attack.rounds,
        "after": plan.after or attack.after,
    }
    return changed(experiment, {"attack": attack_as_json(attack.model_copy(update=filled_in))})


def spread_by_budget(experiment: Experiment) -> NDArray[np.int64]:
    """Indices, from 0, of the clients with the least, the median and the greatest ε; at most `count`."""
    by_budget = np.argsort(experiment.population().epsilon, kind="stable")
    last = len(by_budget) - 1
    return by_budget[list(dict.fromkeys([0, last // 2, last]))]


def _training(experiment: Experiment) -> Training:
    source, local, count = experiment.source, experiment.local, experiment.clients.count
    uploads = experiment.selection.expected_uploads(count, experiment.rounds)
    model = experiment.network
    return Training(
        rounds=experiment.rounds,
        samples=uploads * source.train_size * local.epochs,
        products=model.products(source.shape, source.classes),
        dimension=experiment.dimension,
        chain=is_chain(model, source.shape, source.classes),
    )


def why_not(experiment: Experiment) -> str:
    """Sentence on why an experiment's requested attack cannot run; "" if it can, or none is requested."""
    if experiment.attack is None or spies(experiment):
        return ""
    return _unfit(experiment) or why_no_attacker(experiment, experiment.attack.kinds[0])


def why_no_attacker(experiment: Experiment, upload: str) -> str:
    """Sentence on why no automatic attacker suits a kind of upload."""
    what = "an image out of such an upload" if upload == "audit" else "many images out of one upload"
    why = "" if upload == "audit" else ": their gradients are added up, and other images have the same sum"
    return (
        f"no attacker here reads {what} through “{experiment.model.title}” by itself{why}; choose one by name"
    )


def _unfit(experiment: Experiment) -> str:
    if experiment.trust.unseen:
        return experiment.trust.unseen
    if not readable(experiment):
        label, mechanism = getattr(experiment.system, "label", ""), experiment.mechanism.label
        return f"an upload of {label} under {mechanism} has no law that is known; choose another mechanism"
    source = experiment.source
    if not experiment.features.identity:
        return (
            f"clients turn each image into {source.features} numbers before they train, and no attacker here "
            "turns such numbers back into pixels; choose the features none, or no attack"
        )
    who = experiment.attack.attacker if experiment.attack else None
    name = who.name if who else "auto"
    return attacks.unfit(experiment.model, source.shape, source.classes, name, experiment.local.optimizer)


def measurable(experiment: Experiment) -> bool:
    """Whether a lower bound on ε can be measured, also where no attacker reconstructs images."""
    return bool(experiment.attack and readable(experiment))


def readable(experiment: Experiment) -> bool:
    """Whether the server can compute an upload's likelihood given the image it was made of."""
    system = experiment.system
    return system is None or system.readable(experiment.mechanism, experiment.form)


def facts(experiment: Experiment, upload: str, rounds: int = 1, server: Server = HONEST) -> Facts:
    """Public facts about one kind of upload, observed in `rounds` rounds by a server."""
    audit, source = upload == "audit", experiment.source
    helps = experiment.attacked.trust.helps
    if helps and server.silences:
        helps = ("what the other clients of the sum send, whom it sent a model with dead units",)
    return Facts(
        upload=upload,
        target=experiment.target,
        optimizer=experiment.local.optimizer,
        learning_rate=experiment.local.optimizer.rate(1, experiment.local.learning_rate),
        model=experiment.model,
        mechanism=experiment.attacked.formed,
        batch_size=1 if audit else experiment.local.batch_size,
        epochs=1 if audit else experiment.local.epochs,
        rounds=rounds,
        shape=source.shape,
        classes=source.classes,
        clear=0.0
        if experiment.mechanism.role == "identity"
        else experiment.tells.clear / experiment.uploaded,
        kept=experiment.uploaded < experiment.dimension,
        also=experiment.system.server_knows(experiment)
        if experiment.system
        else helps + OTHER_RECORDS * (audit and experiment.unit == "record"),
        summed=bool(helps),
        server=server,
    )
