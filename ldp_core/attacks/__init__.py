"""What an honest-but-curious server can make of an upload.

An attacker sees an `Observation` and nothing else: the uploads, the previous global model, and the
public experiment. It cannot reach the data (tests/test_layers.py, tests/attacks/test_boundary.py).

>>> from ldp_core import attacks, mechanisms, models
>>> attacks.choose(models.get("mlp"), mechanisms.get("piecewise"), "audit")
'trimmed'
"""

from ldp_core.attacks.base import Attacker, Facts, Identifier, Reconstructor
from ldp_core.attacks.observation import Observation, Public
from ldp_core.component import Registry
from ldp_core.errors import one_of
from ldp_core.mechanisms.base import Mechanism
from ldp_core.models.base import Model, Shape

registry: Registry[Attacker] = Registry(__name__, Attacker, "the attacker's name")
names = registry.names
get = registry.get

IDENTIFIER = "likelihood"
"""Who identifies; there is no better one than the exact likelihood."""


def reconstructors() -> list[str]:
    """The attackers that a user may choose from, simple ones first."""
    return [name for name in registry.labels() if issubclass(registry.kind(name), Reconstructor)]


def reconstructor(name: str) -> Reconstructor:
    """The reconstructor called `name`.

    Raises:
        UnknownName: nothing is called so.
        TypeError: it identifies instead.
    """
    found = get(name)
    if not isinstance(found, Reconstructor):
        raise TypeError(f"{name} does not reconstruct images")
    return found


def identifier() -> Identifier:
    """The one that identifies."""
    found = get(IDENTIFIER)
    if not isinstance(found, Identifier):
        raise TypeError(f"{IDENTIFIER} does not identify")
    return found


def choose(model: Model, mechanism: Mechanism, upload: str) -> str:
    """The attacker that suits a model, a mechanism and a kind of upload ("audit" or "real") best.

    Without noise a division is exact. With noise, a single layer is read through the mechanism's
    law and what images look like; a wider network has too many unknown factors for that, and is
    read by its rank. An upload of many images falls apart unit by unit.
    """
    if upload == "real":
        return "per_neuron"
    if mechanism.name == "none":
        return "least_squares"
    return "posterior" if model.name == "logistic_regression" else "trimmed"


def unfit(model: Model, shape: Shape, classes: int, name: str = "auto") -> str:
    """One sentence on why an attacker ("auto": any) cannot attack this, and what can; "" if it can."""
    kinds = {n: registry.kind(n) for n in (reconstructors() if name == "auto" else [name])}
    why = {n: kind.unfit(model, shape, classes) for n, kind in kinds.items()}
    if not all(why.values()):
        return ""
    able = [n for n in reconstructors() if not registry.kind(n).unfit(model, shape, classes)]
    first = next(iter(why))
    advice = (
        f"choose {one_of(able)}"
        if able
        else "choose images and a model that begins with a fully connected layer, or no attack"
    )
    who = "no attacker here can" if name == "auto" else f"“{kinds[first].label}” cannot"
    return f"{who} read such uploads, because {why[first]}; {advice}"


__all__ = [
    "Attacker",
    "Facts",
    "Identifier",
    "Observation",
    "Public",
    "Reconstructor",
    "choose",
    "get",
    "identifier",
    "names",
    "reconstructor",
    "reconstructors",
    "registry",
    "unfit",
]
