"""File descriptors of the server's process: without one left it cannot open a database."""

import resource

from ldp_core.settings import PAGES

WANTED = 8192
"""File descriptors requested for the server's process: a browser has up to seven connections."""
KEPT = 300
"""Descriptors left for databases, logs and assets."""
PER_PAGE = 5
"""Descriptors of a page: three of its event loop, connected or lost, and its connections."""


def descriptors() -> int:
    """Number that this process may have once it has asked for them (`raise_limit`)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(soft, WANTED) if hard == resource.RLIM_INFINITY else max(soft, min(hard, WANTED))


def raise_limit() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors(), hard))


def room() -> int:
    """Number of pages for which there are descriptors."""
    return max(1, (descriptors() - KEPT) // PER_PAGE)


def most_pages() -> int:
    """Number of pages that may be open: EPSILON_PAGES, or as many as there is room for."""
    return min(PAGES.value(), room())
