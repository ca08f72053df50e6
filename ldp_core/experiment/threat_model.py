"""Who attacks which kind of upload in an experiment, and what they know: for pages and for runs.

Whether an experiment is attacked is asked here and nowhere else: `spies` holds everybody who attacks,
and `why_not` says why nobody does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ldp_core import attacks
from ldp_core.attacks import Facts, Reconstructor
from ldp_core.attacks.shared.pace import ROUND, reads, took, trains
from ldp_core.attacks.shared.search import Search
from ldp_core.experiment.attack import Attack
from ldp_core.experiment.schema import Experiment
from ldp_core.mechanisms.base import Form

SLOWER = 0.2
"""By so much an attack that nobody has chosen may slow training …"""
UNNOTICED = 2e6
"""… if it is a closed form that takes more than these microseconds: below, nobody waits for it."""
VICTIMS = 3
"""Clients whose uploads are attacked where nobody names others."""


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


@dataclass(frozen=True)
class Beside:
    """What attackers do beside, or after, the training of an experiment."""

    rounds: Sequence[int]
    """Those that are attacked."""
    victims: int
    """Clients that are attacked, at most."""
    waits: bool
    """They come after the training."""
    share: float
    """The time that searches take, of the time of training; 0 where nobody searches."""
    steps: int | None = None
    """Of each search, where there is no time for as many as it says itself."""


def spies(experiment: Experiment) -> tuple[Spy, ...]:
    """Those of an experiment; none where it has no attack, or where `why_not` says why."""
    attack = experiment.attack
    if attack is None or _unfit(experiment):
        return ()
    steps, found = beside_training(experiment).steps, []
    for spy in _able(experiment, attack):
        if steps and isinstance(spy.who, Search):
            spy = replace(spy, who=spy.who.at_most(steps))
        found.append(spy)
    return tuple(found)


def beside_training(experiment: Experiment) -> Beside:
    """How often an experiment is attacked, and how much of it.

    Who was not chosen by anybody comes in as many rounds as a fifth of the training allows; a closed form in
    as many as take two seconds, if those are more. Where a search has time for no round it takes fewer steps,
    down to those after which a picture can be recognised; then it attacks one client; and what is still too
    much comes after the training.
    """
    attack, last = experiment.attack, experiment.rounds
    if attack is None:
        return Beside((), 0, waits=False, share=0.0)
    able = () if _unfit(experiment) else _able(experiment, attack)
    searches = [(spy.who, spy.facts) for spy in able if isinstance(spy.who, Search)]
    named = len(attack.clients) if attack.clients else 0
    victims = named or min(VICTIMS, experiment.clients.count)
    whole = training(experiment)

    def share(victims: int, steps: int | None = None) -> float:
        return math.fsum(took(who, seen, victims, steps) for who, seen in searches) / whole

    once = share(victims)
    if attack.attacker or attack.every > 1 or attack.rounds:
        rounds = attack.rounds or range(1, last + 1, attack.every)
        return Beside(rounds, victims, waits=False, share=once * len(rounds))
    if once <= SLOWER:
        each = math.fsum(reads(spy.who, spy.facts, victims, experiment.dimension) for spy in able)
        allowed = max(UNNOTICED, SLOWER * (whole + last * ROUND))
        searched = last / int(SLOWER / once) if once * last > SLOWER else 1.0
        rounds = range(1, last + 1, math.ceil(max(searched, last * each / allowed)))
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


def training(experiment: Experiment) -> float:
    """Microseconds of all rounds' local training. What else a round does is not counted: it is seldom much,
    and what is forgotten here makes the searches shorter.
    """
    source, local, count = experiment.source, experiment.local, experiment.clients.count
    uploads = count * experiment.selection.expected_uploads(count, experiment.rounds)
    each = source.train_size / count
    samples = uploads * each * local.epochs
    batches = uploads * math.ceil(each / local.batch_size) * local.epochs
    return trains(experiment.network, source.shape, source.classes, samples, batches)


def _able(experiment: Experiment, attack: Attack) -> tuple[Spy, ...]:
    """Everybody who attacks, with as many steps as they say themselves."""
    seen = [facts(experiment, upload, attack.rounds_observed) for upload in attack.kinds]
    found = [(one.upload, attack.attacker or attacks.choose(one), one) for one in seen]
    return tuple(Spy(upload, who, one) for upload, who, one in found if who is not None)


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
