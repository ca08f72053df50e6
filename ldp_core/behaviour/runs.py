"""The recorded runs: every part of every registry, in as few experiments as possible."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ldp_core import attacks, datasets, mechanisms, models
from ldp_core.behaviour import own
from ldp_core.contract.registries import REGISTRIES
from ldp_core.experiment import Experiment, parse
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.experiment.conflicts import LABELLED
from ldp_core.fields import Choice, Whole

OWN = ("digits", "mnist_sample")
"""Data sets shipped with the program or its libraries."""
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "update": {"target": "update"},
    "budget of an upload": {"clients": {"epsilon": 200.0, "epsilon_scope": "upload"}},
    "limit of a run": {"clients": {"run_limit": 1000.0}},
    "ranges": {"clients": {"range": "tau1"}},
    "both kinds of upload": {"attack": {"uploads": "both", "rounds_observed": 3}},
}
"""Recorded settings that are parts of no registry."""
STEPS: dict[str, Any] = {"epochs": 1, "batch_size": 400}
"""Local training with two or three steps; more would amplify rounding differences."""
FEW: dict[str, Any] = {"clients": {"count": 3, "epsilon": 8}, "rounds": 1}


@cache
def asked() -> dict[str, Experiment | Ladder]:
    """Recorded experiments and attack grids, by purpose."""
    changes = {f"setting {name}": dict(one) for name, one in SETTINGS.items()}
    for kind, registry in REGISTRIES.items():
        for name in own(registry):
            for words, part in _choices(kind, name):
                for said, one in _with(kind, part):
                    changes[f"{kind} {name}{words}{said}"] = one
    found: dict[str, Experiment | Ladder] = {
        name: parse({"rounds": 2} | one) for name, one in changes.items() if one
    }
    ladder = {"images": 2, "epsilons": [1.0, 8.0], "round": 2}
    return found | {f"ladder {kind}": parse_ladder(ladder | {"upload": kind}) for kind in ("audit", "real")}


def _choices(kind: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A part with its defaults, then with each other option of its parameters."""
    key = "kind" if kind in ("partition", "selection", "trust") else "name"
    yield "", {key: name}
    for field, about in REGISTRIES[kind].kind(name).model_fields.items():
        for choice in about.metadata:
            for word in choice.words if isinstance(choice, Choice) else ():
                if word != about.default:
                    yield f", {field} {word}", {key: name, field: word}


def _with(kind: str, part: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Experiments that record a part of this kind."""
    if kind in ("mechanism", "system"):
        forms = mechanisms.get(part["name"]).forms if kind == "mechanism" else ("corrected", "as_printed")
        more: dict[str, Any] = {"local": STEPS} if kind == "system" else {}
        labelled = kind == "mechanism" and mechanisms.get(part["name"]).labelled
        more |= LABELLED if labelled else {}
        quick = len(part) == 1 and not labelled and parse({kind: part}).model.batched
        for form in forms if len(part) == 1 else forms[:1]:
            yield f", {form}", {kind: part, "form": form, "attack": "auto" if quick else None} | more
    elif kind in ("aggregator", "features", "partition", "selection"):
        yield "", {kind: part, "attack": None}
    elif kind == "trust":
        whole_run = {"epsilon": [4.0] * 10 + [60.0] * 10, "epsilon_scope": "run", "range": 0.1}
        yield "", {kind: part, "target": "update", "clients": whole_run}
    elif kind == "optimizer":
        yield "", {"local": {kind: part["name"], **STEPS}, "attack": None} | FEW
    elif kind == "model":
        yield "", _trained(part)
    elif kind == "attacker" and part["name"] in attacks.reconstructors():
        yield "", _attacked(part)


def _trained(model: dict[str, Any]) -> dict[str, Any]:
    """Model with its smallest sizes, if it has over a million weights."""
    kind = models.get(model["name"])
    where = next(one for one in (*OWN, *datasets.names()) if kind.fits(datasets.get(one).shape))
    source = datasets.get(where)
    if kind.dimension(source.shape, source.classes) > 10**6:
        sizes = ((field, one) for field, about in type(kind).model_fields.items() for one in about.metadata)
        model = model | {field: int(one.limit.minimum) for field, one in sizes if isinstance(one, Whole)}
    return {"dataset": where, "model": model, "local": STEPS, "attack": None} | FEW


def _attacked(attacker: dict[str, Any]) -> dict[str, Any]:
    """Settings of a recorded run with one attack; searching attackers get a convolutional network."""
    source, name = datasets.get("digits"), attacker["name"]
    searches = "iterations" in attacks.registry.kind(name).model_fields

    def able(model: str) -> bool:
        kind = models.get(model)
        return kind.fits(source.shape) and not attacks.unfit(kind, source.shape, source.classes, name)

    model = min(filter(able, models.names()), key=lambda one: (models.get(one).batched == searches, one))
    attack = {"attacker": attacker | ({"iterations": 1} if searches else {}), "clients": [1]}
    return {"model": model, "attack": attack} | FEW
