"""Published systems, their papers' claims, and verdicts on these from this program's own runs.

A paper is a folder with `paper.toml` (`folders` reads it): here, in an installed distribution (entry points
of the group `ldp_core.papers`), or in EPSILON_PARTS_DIR. Its claims consist of `statements` about `arms`;
`stored` holds figures of runs, `verdict` compares them with the paper's, `measuring` produces them. Reading
needs neither torch nor data.
"""

from functools import cache

from ldp_core.errors import named
from ldp_core.papers.base import Claim, Paper
from ldp_core.papers.folders import found

refused = dict[str, str]()
"""Why a paper was left out, by name; complete after discovery."""


@cache
def _found() -> dict[str, Paper]:
    return found(refused)


def names() -> list[str]:
    """Names of all papers, in their order, those from outside last."""
    return list(_found())


def get(name: str) -> Paper:
    """Paper by name, which is its system's; UnknownName if there is none."""
    return named("the system's name", name, _found(), refused.get(name, "") if isinstance(name, str) else "")
