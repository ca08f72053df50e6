"""Who attacks which kind of upload in an experiment, and what they know: for pages and for runs."""

from __future__ import annotations

from dataclasses import dataclass

from ldp_core import attacks, datasets
from ldp_core.attacks import Facts
from ldp_core.experiment.schema import Experiment


@dataclass(frozen=True)
class Spy:
    """One kind of upload, who reconstructs from it, and everything that it uses."""

    upload: str
    """ "audit" or "real"."""
    attacker: str
    knows: tuple[str, ...]


def spies(experiment: Experiment) -> tuple[Spy, ...]:
    """Those of an experiment; none where it has no attack, or where `why_not` says why."""
    if experiment.attack is None or why_not(experiment):
        return ()
    found = []
    for upload in experiment.attack.kinds:
        name = experiment.attack.attacker
        if name == "auto":
            name = attacks.choose(experiment.model, experiment.mechanism, upload)
        knows = attacks.get(name).knows(facts(experiment, upload, experiment.attack.rounds_observed))
        found.append(Spy(upload, name, tuple(knows)))
    return tuple(found)


def why_not(experiment: Experiment) -> str:
    """One sentence on why the uploads of an experiment cannot be attacked; "" if they can."""
    if experiment.attack is None:
        return ""
    source = datasets.get(experiment.dataset)
    return attacks.unfit(experiment.model, source.shape, source.classes, experiment.attack.attacker)


def facts(experiment: Experiment, upload: str, rounds: int = 1) -> Facts:
    """What an experiment says in public about an upload of one kind, seen so many times."""
    audit = upload == "audit"
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
    )
