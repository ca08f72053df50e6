"""The published systems, their papers' claims, and verdicts on these from this program's own runs.

A paper is a module with its claims (`base`), and a text file with its idea, errors and quotations
(`assets/papers`); a claim consists of `statements` about named `arms`. `stored` holds figures of runs,
`verdict` compares them with the paper's, `measuring` produces them. Reading needs neither torch nor data.
"""

from functools import cache

from ldp_core.errors import named
from ldp_core.papers.base import Claim, Paper
from ldp_core.plugins.candidates import built_in, by_order


@cache
def _found() -> dict[str, Paper]:
    return by_order(built_in(__name__, "PAPER", Paper))


def names() -> list[str]:
    """Systems of all papers, in the papers' order."""
    return list(_found())


def get(name: str) -> Paper:
    """Paper of a system; UnknownName if there is none."""
    return named("the system's name", name, _found())
