"""Who attacks which kind of upload in an experiment, and what they know: for pages and for runs.

Whether an experiment is attacked is asked here and nowhere else: `spies` holds everybody who attacks,
and `why_not` says why nobody does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ldp_core import attacks
from ldp_core.attacks import Facts, Reconstructor
from ldp_core.experiment.attack import Attack
from ldp_core.experiment.schema import Experiment
from ldp_core.mechanisms.base import Form
from ldp_core.models.chain import is_chain

SLOWER = 0.2
"""By so much a search that nobody has chosen may slow training."""
OF_CHAIN, OF_OTHERS = 128, 6
"""A search's gradient takes the time of so many samples in training: with a kernel made for the network, and
in PyTorch. Measured by the clock on two cores, of which training uses both and a search one: 0.6 ms beside
0.0047 and 0.1.
"""


@dataclass(frozen=True)
class Spy:
    """One kind of upload, who reconstructs from it, and everything that it uses."""

    upload: str
    """ "audit" or "real"."""
    who: Reconstructor
    facts: Facts

    @property
    def attacker(self) -> str:
        """Its name."""
        return self.who.name

    @property
    def knows(self) -> tuple[str, ...]:
        """All that it uses, in plain words."""
        return tuple(self.who.knows(self.facts))

    def as_json(self) -> dict[str, Any]:
        """What an event says of it."""
        return {"upload": self.upload, "attacker": self.attacker, "knows": list(self.knows)}


def spies(experiment: Experiment) -> tuple[Spy, ...]:
    """Those of an experiment; none where it has no attack, or where `why_not` says why."""
    attack = experiment.attack
    if attack is None or _unfit(experiment):
        return ()
    seen = [facts(experiment, upload, attack.rounds_observed) for upload in attack.kinds]
    found = [(one.upload, attack.attacker or attacks.choose(one), one) for one in seen]
    return tuple(Spy(upload, who, one) for upload, who, one in found if who is not None)


def attacked_rounds(experiment: Experiment) -> Sequence[int]:
    """The rounds in which uploads are attacked, if any are.

    As the experiment says; but an attacker that searches and that nobody has chosen comes so seldom that it
    takes a fifth of the time of training at most (counted in gradients: the same on every machine).
    """
    attack = experiment.attack
    if attack is None:
        return ()
    if attack.rounds is not None:
        return attack.rounds
    between = attack.every
    if _unasked(attack) and (each := _of_a_round(experiment)):
        often = max(1, int(SLOWER * experiment.rounds / each))
        between = max(1, math.ceil(experiment.rounds / often))
    return range(1, experiment.rounds + 1, between)


def waits(experiment: Experiment) -> bool:
    """Whether the attack comes after the training, on uploads of the first round: where it would slow it by
    more than a fifth even in one round, and nobody has asked for that.
    """
    attack = experiment.attack
    return attack is not None and _unasked(attack) and _of_a_round(experiment) > SLOWER * experiment.rounds


def searching(experiment: Experiment) -> float:
    """The time that attackers search, as a share of the time of training; 0 where nobody does."""
    return _of_a_round(experiment) * len(attacked_rounds(experiment)) / experiment.rounds


def _unasked(attack: Attack) -> bool:
    return attack.attacker is None and attack.every == 1 and attack.rounds is None


def _of_a_round(experiment: Experiment) -> float:
    """The searches of one round that is attacked, in times of training one round."""
    attack, count, source = experiment.attack, experiment.clients.count, experiment.source
    victims = len(attack.clients) if attack and attack.clients else min(3, count)
    searched = 3 * victims * math.fsum(spy.who.effort(spy.facts).gradients for spy in spies(experiment))
    chosen = experiment.selection.expected_uploads(count, experiment.rounds) / experiment.rounds
    trained = source.train_size * chosen * experiment.local.epochs
    chain = is_chain(experiment.network, source.shape, source.classes)
    return searched * (OF_CHAIN if chain else OF_OTHERS) / trained


def why_not(experiment: Experiment) -> str:
    """One sentence on why no upload of an experiment is attacked, though it asks for that; "" if one is."""
    if experiment.attack is None or spies(experiment):
        return ""
    return _unfit(experiment) or nobody(experiment, experiment.attack.kinds[0])


def nobody(experiment: Experiment, upload: str) -> str:
    """One sentence for a kind of upload that no attacker suits."""
    what = "an image out of such an upload" if upload == "audit" else "many images out of one upload"
    why = "" if upload == "audit" else ": their gradients are added up, and other images have the same sum"
    return (
        f"no attacker here reads {what} through “{experiment.model.label}” by itself{why}; choose one by name"
    )


def _unfit(experiment: Experiment) -> str:
    if experiment.system and not experiment.system.readable(experiment.form):
        other: Form = "corrected" if experiment.form == "as_printed" else "as_printed"
        here = "in this form; in the other one there is" if experiment.system.readable(other) else "here"
        because = experiment.system.why_unread(experiment.form)
        told = "; which of a few images one was made of can be told" if identifiable(experiment) else ""
        why = f" (because {because}){told}" if because else ""
        return f"no attacker makes a picture of the uploads of {experiment.system.label} {here}{why}"
    source = experiment.source
    who = experiment.attack.attacker if experiment.attack else None
    name = who.name if who else "auto"
    return attacks.unfit(experiment.model, source.shape, source.classes, name, experiment.local.optimizer)


def identifiable(experiment: Experiment) -> bool:
    """Whether images can be told apart by the uploads that they make: also where nobody makes a picture."""
    system = experiment.system
    return system is None or system.identifiable(experiment.mechanism, experiment.form)


def facts(experiment: Experiment, upload: str, rounds: int = 1) -> Facts:
    """What an experiment says in public about an upload of one kind, seen so many times."""
    audit, source = upload == "audit", experiment.source
    return Facts(
        upload=upload,
        target=experiment.target,
        optimizer=experiment.local.optimizer,
        learning_rate=experiment.local.optimizer.rate(1, experiment.local.learning_rate),
        model=experiment.model,
        mechanism=experiment.mechanism,
        batch_size=1 if audit else experiment.local.batch_size,
        epochs=1 if audit else experiment.local.epochs,
        rounds=rounds,
        shape=source.shape,
        classes=source.classes,
        clear=0.0
        if experiment.mechanism.role == "identity"
        else experiment.tells.clear / experiment.uploaded,
        kept=experiment.uploaded < experiment.dimension,
    )
