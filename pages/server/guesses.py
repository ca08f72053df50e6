"""The teacher's secret is tried slowly, and not in silence."""

from __future__ import annotations

import logging
from math import ceil

from ldp_core.runs.queue.people import is_teacher
from ldp_core.system.pace import Pace

EACH, PLACE, ALL = Pace(5, 20.0), Pace(10, 6.0), Pace(30, 2.0)
"""For a visitor, who may be a new one at any time; for an address, which a class shares; for everybody."""
LINES = Pace(10, 60.0)
"""Of the log."""
WRONG = "That is not the secret that this server was started with."
log = logging.getLogger(__name__)


def guess(secret: str, visitor: str, address: str) -> str:
    """Why this visitor is not the teacher, in a sentence; "" if they are.

    Args:
        secret: what was typed. It is written down nowhere.
        visitor: as their jobs name them.
        address: where they are.
    """
    limits = ((EACH, visitor), (PLACE, address), (ALL, ""))
    wait = max(pace.wait(name) for pace, name in limits)
    if wait > 0 or not all(pace.take(name) for pace, name in limits):
        _note("is to wait: too many secrets were tried", address)
        return f"Too many secrets were tried; this one was not looked at. Try again in {ceil(wait or 1)} s."
    if is_teacher(secret):
        return ""
    _note("tried a wrong teacher's secret", address)
    return WRONG


def _note(what: str, address: str) -> None:
    if LINES.take():
        log.warning("a visitor from %s %s", address, what)
