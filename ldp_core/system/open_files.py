"""File descriptors of the server's process, for limits on visitors that suit a class behind one address."""

WANTED = 8192
"""File descriptors requested for the server's process: a browser has up to seven connections."""
KEPT = 300
"""Descriptors left for databases, logs and assets."""
PER_LOOP, PER_PAGE = 3, 5
"""Descriptors of a page's event loop, connected or lost; and of a connected page."""


def descriptors() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return WANTED
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
