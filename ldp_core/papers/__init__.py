"""The published systems, what their papers claim, and whether our own runs bear it out.

One file a paper: its idea, its errors and its claims (`base`), each claim made of `statements` about named
`arms`. `stored` holds the figures of real runs, `verdict` holds them against the paper's by a stated rule,
`measuring` makes them. Reading any of it needs neither torch nor data; a new paper is one file here.
"""

from __future__ import annotations

from functools import cache

from ldp_core.errors import UnknownName
from ldp_core.papers.base import Claim, Paper
from ldp_core.plugins.candidates import built_in, by_order


@cache
def _found() -> dict[str, Paper]:
    return by_order(built_in(__name__, "PAPER", Paper))


def names() -> list[str]:
    """Every paper's system, in the papers' order."""
    return list(_found())


def get(name: str) -> Paper:
    """The paper of the system called `name`."""
    try:
        return _found()[name]
    except KeyError:
        raise UnknownName("the system's name", name, _found()) from None
