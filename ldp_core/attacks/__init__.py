"""Attacks of a server on uploads, of models that it sent honestly or made for them (`servers`).

An attacker receives an `Observation` and has no access to the data (tests/attacks/test_in_clear.py). Each is
one file; `findings` has bounds that none exceeds, metrics of image quality, and verdicts in words.

>>> from ldp_core import attacks
>>> attacks.reconstructor("trimmed").many
False
"""

from typing import cast

from ldp_core import optimizers
from ldp_core.attacks.base import Attacker, Effort, Facts, Identifier, Reconstructor
from ldp_core.attacks.observation import Observation, PublicImages
from ldp_core.component import Registry
from ldp_core.errors import one_of
from ldp_core.models.base import Model, Shape
from ldp_core.optimizers import Optimizer

registry: Registry[Attacker] = Registry(__name__, Attacker, "the attacker's name")
names = registry.names
get = registry.get


def reconstructors() -> list[str]:
    """Names of the attackers that reconstruct images, simple ones first."""
    return [name for name in registry.labels() if issubclass(registry.kind(name), Reconstructor)]


def reconstructor(name: str) -> Reconstructor:
    return cast("Reconstructor", get(name))


def identifier() -> Identifier:
    """The exact likelihood, than which none is better."""
    return cast("Identifier", get("likelihood"))


def choose(facts: Facts) -> Reconstructor | None:
    """Most suitable attacker by the attackers' own ratings, None if none suits; never a plug-in, so that
    these change no run that does not name them. A server that lies has a reader of its own.
    """
    if facts.server and facts.server.reader:
        return reconstructor(facts.server.reader)
    able = [
        attacker
        for attacker in map(reconstructor, reconstructors())
        if not attacker.plugin
        and not unfit(facts.model, facts.shape, facts.classes, attacker.name, facts.optimizer)
    ]
    suiting = [(fit, attacker) for attacker in able if (fit := attacker.suits(facts)) is not None]
    return max(suiting, key=lambda pair: pair[0])[1] if suiting else None


def unfit(
    model: Model, shape: Shape, classes: int, name: str = "auto", optimizer: Optimizer | None = None
) -> str:
    """Why an attacker ("auto": any) cannot attack this model and data (and optimiser), and which one can; ""
    if it can.
    """
    everybody = {n: registry.kind(n) for n in reconstructors()}
    kinds = everybody if name == "auto" else {name: registry.kind(name)}

    def reason(kind: type[Attacker]) -> str:
        return kind.unfit(model, shape, classes) or (kind.cannot_follow(optimizer) if optimizer else "")

    why = {n: reason(kind) for n, kind in kinds.items()}
    if not all(why.values()):
        return ""
    able = [n for n, kind in everybody.items() if not reason(kind)]
    else_able = [n for n, kind in everybody.items() if not kind.unfit(model, shape, classes)]
    first = next((n for n in else_able if n in why), next(iter(why)))
    dense = "images and a model that begins with a fully connected layer"
    if able:
        advice = f"choose {one_of(able)}"
    elif else_able:  # the optimiser alone is in the way
        steps = [n for n in optimizers.names() if not optimizers.get(n).memories]
        can = f"one step of which {one_of(else_able)} can follow"
        advice = f"choose the optimiser {one_of(steps)}, {can}, or {dense.removeprefix('images and ')}"
    else:
        advice = f"choose {dense}, or no attack"
    who = "no attacker here can" if name == "auto" else f"“{kinds[first].label}” cannot"
    return f"{who} read such uploads, because {why[first]}; {advice}"
