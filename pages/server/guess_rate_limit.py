"""Rate limits on guesses of the teacher's secret and of class codes, with logging, and on new visitors."""

import logging
from math import ceil

from ldp_core.errors import NotNow
from ldp_core.runs import permissions
from ldp_core.system.rate_limit import MOST_NAMES, RateLimit
from pages.server.address import LOOPBACK

EACH, PLACE, ALL = RateLimit(5, 20.0), RateLimit(10, 6.0), RateLimit(30, 2.0)
"""Rate limits of guesses: per visitor (easily new), per address (shared by a class), for all."""
CODES_EACH, CODES_PLACE = RateLimit(10, 3.0), RateLimit(90, 1.0)
"""Rate limits of wrong codes: per visitor, and per address, where a whole class may mistype."""
NEW = RateLimit(40, 10.0)
"""Rate limit of an address's new visitors: thirty laptops of a room may press Train at once."""
LINES = RateLimit(10, 60.0)
"""Rate limit of log lines."""
_known: dict[str, None] = {}
"""Visitors who have left something here since the server's start, oldest first."""
WRONG = "That is not the secret that this server was started with."
log = logging.getLogger(__name__)


def guess(secret: str, visitor: str, address: str) -> str:
    """Why this visitor is no teacher, in a sentence; "" if they are. The secret is never logged."""
    limits = ((EACH, visitor), (PLACE, address), (ALL, ""))
    wait = max(pace.wait(name) for pace, name in limits)
    if wait > 0 or not all(pace.take(name) for pace, name in limits):
        _note("is to wait: too many secrets were tried", address)
        return f"Too many secrets were tried; this one was not looked at. Try again in {ceil(wait or 1)} s."
    if permissions.is_teacher(secret):
        return ""
    _note("tried a wrong teacher's secret", address)
    return WRONG


def codes_wait(visitor: str, address: str) -> str:
    """Why codes are refused for now, in a sentence; "" if they are not."""
    wait = max(CODES_EACH.wait(visitor), CODES_PLACE.wait(address))
    return f"Too many wrong codes were tried from here. Try again in {ceil(wait)} s." if wait > 0 else ""


def wrong_code(visitor: str, address: str) -> None:
    """Count a wrong class code."""
    CODES_EACH.take(visitor)
    CODES_PLACE.take(address)


def admit(visitor: str, address: str) -> None:
    """Let a visitor leave something here; raises NotNow if too many of this address are new. This machine's
    own users are all let in: they may do everything.
    """
    if visitor in _known or address in LOOPBACK:
        return
    if not NEW.take(address):
        raise NotNow(f"many new visitors come from your network; try again in {ceil(NEW.wait(address))} s")
    if len(_known) >= MOST_NAMES:
        _known.pop(next(iter(_known)), None)
    _known[visitor] = None


def _note(what: str, address: str) -> None:
    if LINES.take():
        log.warning("a visitor from %s %s", address, what)
