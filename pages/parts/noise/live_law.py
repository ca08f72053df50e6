"""What the browser needs to draw a law by itself, wherever a hand moves it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.ldpsign import LDPSign
from ldp_core.mechanisms.privunit import PrivUnit, cut_at
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise
from pages.parts.charts.law import area, grey, probability, stems

LIVE = (
    *("Laplace", "Duchi", "PDPM", "PDPMAsPrinted", "Piecewise", "PiecewiseAsPrinted", "Hybrid", "GRR"),
    *("Harmony", "HarmonyAsPrinted", "LDPSign", "LDPSignAsPrinted", "PrivUnit", "NoNoise"),
)
"""Classes whose law assets/web/laws.js knows; beside them all normal noise."""
SAME = {"LDPSignAsPrinted": "LDPSign"}
"""Of those whose forms differ in their ledger alone."""
OWN = ("levels", "dimension", "norm")
"""What a law takes from its mechanism."""


def is_live(mechanism: Mechanism) -> bool:
    """Whether the browser knows its law."""
    return isinstance(mechanism, GaussianNoise) or type(mechanism).__name__ in LIVE


def live_law(
    mechanism: Mechanism,
    tint: int,
    ladder: Sequence[float],
    own: tuple[float, float, float],
    tail: str,
    shares: int = 1,
    per: str = "",
) -> dict[str, Any] | None:
    """What assets/web/law.js needs to draw the law by itself at each budget of a ladder, on any safe range
    with the same centre, and for any weight; None where the browser does not know the law. `own`: ε and the
    ends of the range that the client itself asks for. `tail`: the end of its caption. `shares`: over how
    many uses an ε is divided, each of which is `per` weight or layer.
    """
    if not is_live(mechanism):
        return None
    epsilon, low, high = own
    name = "Normal" if isinstance(mechanism, GaussianNoise) else type(mechanism).__name__
    look = {
        "other": {"stems": stems(None), "area": area(None)},
        "own": {"stems": stems(tint), "area": area(tint)},
    }
    return {
        "name": SAME.get(name, name),
        "epsilon": epsilon / shares,
        "shares": shares,
        "per": per,
        "low": low,
        "high": high,
        "whole": grey(mechanism, low, high) if mechanism.region == "ball" else "",
        "tail": tail,
        "look": look,
        "note": {**probability(0, 0, tint), "text": ""},
        **_told(mechanism, np.array([*ladder, epsilon]) / shares),
        **{name: value for name in OWN if (value := getattr(mechanism, name, None)) is not None},
    }


def _told(mechanism: Mechanism, budgets: Floats) -> dict[str, Any]:
    """What the browser does not compute, at each budget of a ladder and at the last, the client's own."""
    if isinstance(mechanism, PrivUnit):
        found = cut_at(budgets)
        beyond, before = found.log_p - found.log_q, found.log_not_p - found.log_not_q
        each = np.stack([beyond, before, found.cut, found.scale, found.square], 1).tolist()
        return {"tells": each[:-1], "told": each[-1]}
    if isinstance(mechanism, GaussianNoise | LDPSign):
        # noise is in proportion to the range, but for a length or a sensitivity that is given
        fixed = mechanism.region == "ball" or mechanism.sensitivity is not None
        law: Any = mechanism.at(budgets, -1.0, 1.0)
        sigmas = law.sigma.tolist()
        return {"tells": sigmas[:-1], "told": sigmas[-1], "fixed": fixed}
    return {}
