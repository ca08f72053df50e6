"""How much of this server visitors may take together and each; the defaults fit a class and a small server.

Thirty laptops behind one address have four pages open each, and some of them are opened anew.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from ldp_core.errors import InvalidInput, shown
from ldp_core.runs.machine.time_limit import most_hours
from ldp_core.runs.queue.admission import refuse_nonsense
from ldp_core.runs.record import draft_room
from ldp_core.system.settings import number, whole

MB = 10**6
ADDRESS_HEADER = "EPSILON_ADDRESS_HEADER"
HEADER = re.compile(r"[A-Za-z0-9-]{1,60}")
WANTED = 8192
"""Descriptors of the server's process: a browser has up to seven connections, a run that is seen some."""
KEPT = 300
"""Of them for databases, logs and assets."""
PER_LOOP, PER_PAGE = 3, 5
"""A page has an event loop, open or lost; and where it is open a connection, and one for its files."""


@dataclass(frozen=True)
class Limits:
    """What the operator has set, or else what was found to fit."""

    connections: int
    """Open at a time, of whatever kind; a browser has up to seven."""
    connections_each: int
    """Of one address, where no proxy stands before the server."""
    pages: int
    """Open at a time."""
    pages_each: int
    """Of one address."""
    silent_seconds: float
    """Until something is heard on a new connection."""
    idle_seconds: float
    """Until something more is heard from a page."""
    uploads: int
    """Bytes that all sessions together keep."""
    uploads_each: int
    """Bytes that one session keeps."""


def limits() -> Limits:
    """As the environment says now.

    Raises:
        InvalidInput: one of the settings makes no sense.
    """
    address_header()
    refuse_nonsense()
    most_hours()
    draft_room.most_bytes()
    return Limits(
        whole("EPSILON_CONNECTIONS", 1000, 10, 100_000),
        whole("EPSILON_CONNECTIONS_EACH", 600, 1, 100_000),
        whole("EPSILON_PAGES", 400, 1, 100_000),
        whole("EPSILON_PAGES_EACH", 200, 1, 100_000),
        number("EPSILON_SILENT_SECONDS", 15, 1, 600),
        60 * number("EPSILON_IDLE_MINUTES", 120, 0.01, 100_000),
        int(MB * number("EPSILON_UPLOADS_MB", 100, 1, 1e6)),
        int(MB * number("EPSILON_UPLOADS_EACH_MB", 20, 1, 1e6)),
    )


def address_header() -> str:
    """The header in which a proxy tells a visitor's address, if the operator has named one; "" without one.

    Raises:
        InvalidInput: what was named is no header.
    """
    given = os.environ.get(ADDRESS_HEADER, "").strip()
    if given and not HEADER.fullmatch(given):
        raise InvalidInput(
            f"{ADDRESS_HEADER} must be a header's name, like X-Forwarded-For; got {shown(given)}"
        )
    return given


def descriptors() -> int:
    """How many files and connections the server's process may have open, if it asks for enough."""
    try:
        import resource
    except ImportError:  # Windows
        return WANTED
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
