"""Differences between the computed attack grid and the one in the page's fields."""

from typing import Any

from ldp_core.experiment.attack_grid import Ladder
from pages.parts.attack.settings import AUTO, UPLOADS
from pages.parts.systems.changes import differing
from pages.parts.ui.text import few

NAMES = {
    "mechanisms": "mechanisms",
    "epsilons": "budgets",
    "upload": "kind of upload",
    "client": "client",
    "rounds_observed": "uploads seen",
    "round": "round of training",
    "attacker": "attacker",
    "images": "images attacked",
    "candidates": "images to pick from",
}
LISTS = ("mechanisms", "epsilons")
IDLE = ("attack", "mechanism", "aggregator", "seed")
IDLE_OF_CLIENTS = ("epsilon", "epsilon_scope", "run_limit")
"""Fields without effect on an attack grid, which trains without noise and has its own budgets."""


def ladder_changes(before: Ladder, now: Ladder) -> str:
    """Changes of an attack grid in a few words; "" if none."""
    words = []
    for field, name in NAMES.items():
        old, new = getattr(before, field), getattr(now, field)
        if old == new or (field == "images" and "real" in (before.upload, now.upload)):
            continue  # a real upload has as many images as its client holds
        words.append(name if field in LISTS else f"{name} {_value(field, old)} → {_value(field, new)}")
    return few([*words, *differing(_base(before), _base(now))])


def _base(ladder: Ladder) -> dict[str, Any]:
    base = {key: value for key, value in ladder.base.as_json().items() if key not in IDLE}
    clients = {key: value for key, value in base["clients"].items() if key not in IDLE_OF_CLIENTS}
    return {"base": base | {"clients": clients, "seed": ladder.seed}}


def _value(field: str, value: Any) -> str:
    if field == "upload":
        return UPLOADS[value]
    if field == "attacker":
        if value is None:
            return AUTO
        own = [f"{name} {setting:g}" for name, setting in value.parameters().items()]
        return f"{value.label} ({', '.join(own)})" if own else str(value.label)
    return str(value)
