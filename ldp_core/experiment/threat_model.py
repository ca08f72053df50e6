"""Who attacks which kind of upload in an experiment, and what they know: for pages and for runs.

Whether an experiment is attacked is asked here and nowhere else: `spies` holds everybody who attacks,
and `why_not` says why nobody does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ldp_core import attacks
from ldp_core.attacks import Facts, Reconstructor
from ldp_core.attacks.shared.search import Search
from ldp_core.experiment.attack import Attack
from ldp_core.experiment.beside_training import Beside, beside
from ldp_core.experiment.schema import Experiment
from ldp_core.mechanisms.base import Form


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
    steps, found = beside_training(experiment).steps, []
    for spy in _able(experiment, attack):
        if steps and isinstance(spy.who, Search):
            spy = replace(spy, who=spy.who.at_most(steps))
        found.append(spy)
    return tuple(found)


def beside_training(experiment: Experiment) -> Beside:
    """When an experiment's uploads are attacked, and how many: those who search and whom nobody has chosen
    take a fifth of the time of training at most, or come after it.
    """
    attack = experiment.attack
    able = () if attack is None or _unfit(experiment) else _able(experiment, attack)
    return beside(experiment, [(spy.who, spy.facts) for spy in able])


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
