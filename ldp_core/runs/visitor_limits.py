"""Limits on visitors' use of this server, all together and one by one; the defaults suit a class on a small
server.

They allow thirty laptops behind one network address with four open pages each, and some reopened pages.
"""

from __future__ import annotations

from dataclasses import dataclass

from ldp_core.settings import table as settings

MB = 10**6
WANTED = 8192
"""Descriptors of the server's process: a browser has up to seven connections, a run that is seen some."""
KEPT = 300
"""Of them for databases, logs and assets."""
PER_LOOP, PER_PAGE = 3, 5
"""A page has an event loop, open or lost; and where it is open a connection, and one for its files."""


@dataclass(frozen=True)
class Limits:
    """Limits on visitors, set by the operator or derived from the machine."""

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
    """Limits from the environment variables."""
    return Limits(
        settings.CONNECTIONS.value(),
        settings.CONNECTIONS_EACH.value(),
        settings.PAGES.value(),
        settings.PAGES_EACH.value(),
        settings.SILENT_SECONDS.value(),
        60 * settings.IDLE_MINUTES.value(),
        int(MB * settings.UPLOADS_MB.value()),
        int(MB * settings.UPLOADS_EACH_MB.value()),
    )


def descriptors() -> int:
    """Limit on the file descriptors of the server's process."""
    try:
        import resource
    except ImportError:  # Windows
        return WANTED
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
