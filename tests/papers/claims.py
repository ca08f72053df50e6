"""A claim of two arms and figures for it, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ldp_core.papers.base import Claim, Control, arms
from ldp_core.papers.statements import Ahead, Gain, Statement, Value
from ldp_core.papers.stored import Figure, Shelf

BASE: dict[str, Any] = {"rounds": 1}
STATEMENTS = (
    Value("no noise", ("none",), 90.0),
    Gain("C over A", (("C", "A"),), 10.0),
    Ahead("C is ahead of A", (("C", "A"),)),
)


def claim(statements: Sequence[Statement] = STATEMENTS, **given: Any) -> Claim:
    made = arms(
        BASE,
        {
            "none": {"mechanism.name": "none"},
            "A": {},
            "C": {"aggregator.name": "inverse_std"},
            "other": {"aggregator.name": "inverse_variance"},
        },
    )
    own = {"controls": (Control("other", "it is simpler", "C"),)} | given
    return Claim("made", "Fig. 1", "A claim", "made by hand", tuple(statements), made, **own)


def shelf(of: Claim, **values: Sequence[float]) -> Shelf:
    """Figures in per cent, by arm, for seeds 0, 1, …"""
    found = {}
    for label, each in values.items():
        for seed, value in enumerate(each):
            one = figure(of, label, seed, value)
            found[one.key] = one
    return Shelf(found)


def figure(of: Claim, label: str, seed: int, value: float | None, **given: Any) -> Figure:
    arm = of.arm(label)
    facts = {
        "key": arm.key(seed),
        "seed": seed,
        "value": None if value is None else value / 100,
        "status": "completed",
        "seconds": 1.0,
        "version": "v1",
        "date": "2026-11-23",
        "setting": arm.setting,
        "noise": 5.0,
        "size": 0.5,
        "chance": 0.1,
    }
    return Figure(**{**facts, **given})
