"""Limits on visitors' use of this server, all together and one by one; the defaults suit a class on a small
server.

They allow thirty laptops behind one network address with four open pages each, and some reopened pages.
"""

from __future__ import annotations

from dataclasses import dataclass

from ldp_core.settings import table as settings

MB = 10**6
WANTED = 8192
"""File descriptors requested for the server's process: a browser has up to seven connections."""
KEPT = 300
"""Descriptors left for databases, logs and assets."""
PER_LOOP, PER_PAGE = 3, 5
"""Descriptors of a page's event loop, connected or lost; and of a connected page."""


@dataclass(frozen=True)
class Limits:
    """Limits on visitors, set by the operator or derived from the machine."""

    connections: int
    """Open connections of any kind; a browser has up to seven."""
    connections_each: int
    """Open connections of one address, if no proxy precedes the server."""
    pages: int
    """Open pages."""
    pages_each: int
    """Open pages of one address."""
    silent_seconds: float
    """Time until a new connection must send something."""
    idle_seconds: float
    """Time after which a page without messages is closed."""
    uploads: int
    """Bytes of uploads of all sessions together."""
    uploads_each: int
    """Bytes of uploads of one session."""


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
