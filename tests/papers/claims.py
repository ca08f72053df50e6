"""A claim of two arms and figures for it, made by hand."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from ldp_core import papers
from ldp_core.papers.arms import Arm
from ldp_core.papers.base import Claim, Control
from ldp_core.papers.statements import Statement
from ldp_core.papers.stored import Shelf, StoredFigure

EVERY = [(name, claim) for name in papers.names() for claim in papers.get(name).claims]
EACH = pytest.mark.parametrize(("name", "claim"), EVERY, ids=[f"{name}-{one.id}" for name, one in EVERY])
BASE: dict[str, Any] = {"rounds": 1}
STATEMENTS = (
    Statement("no noise", of=("none",), paper=90.0),
    Statement("C over A", over=(("C", "A"),), paper=10.0),
    Statement("C is ahead of A", over=(("C", "A"),)),
)


def ahead(what: str, *pairs: tuple[str, str]) -> Statement:
    return Statement(what, over=pairs)


def arms(base: Mapping[str, Any], named: Mapping[str, Mapping[str, Any]]) -> tuple[Arm, ...]:
    return tuple(Arm(label, base, sets) for label, sets in named.items())


def claim(statements: Sequence[Statement] = STATEMENTS, **given: Any) -> Claim:
    weighed = {"C": {"aggregator.name": "inverse_std"}, "other": {"aggregator.name": "inverse_variance"}}
    made = arms(BASE, {"none": {"mechanism.name": "none"}, "A": {}, **weighed})
    own: dict[str, Any] = {"controls": (Control(arm="other", why="it is simpler", against="C"),)} | given
    words = {"id": "made", "where": "Fig. 1", "title": "A claim", "setting": "made by hand", **own}
    return Claim(quotes=(), statements=tuple(statements), measured=made, **words)


def shelf(of: Claim, **values: Sequence[float]) -> Shelf:
    """Figures in per cent, by arm, for seeds 0, 1, …"""
    return holding(
        figure(of, label, seed, v) for label, each in values.items() for seed, v in enumerate(each)
    )


def about(of: Claim, values: Mapping[str, Sequence[float]], value: float, **more: float) -> Shelf:
    """Figures of what a claim is about, by arm and seed; all of them at `value` per cent."""
    return holding(
        figure(of, label, seed, value, also={of.about: own, **more})
        for label, each in values.items()
        for seed, own in enumerate(each)
    )


def holding(figures: Iterable[StoredFigure]) -> Shelf:
    return Shelf({one.key: one for one in figures})


def figure(of: Claim, label: str, seed: int, value: float | None, **given: Any) -> StoredFigure:
    arm, share = of.arm(label), None if value is None else value / 100
    facts = (arm.key(seed), seed, share, "completed", 1.0, "v1", "2026-11-23", arm.setting)
    return replace(StoredFigure(*facts, noise=5.0, size=0.5, chance=0.1), **given)
