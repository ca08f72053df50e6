"""Intervals and tests of figures are computed in `ldp_core.inference` alone.

A rule that lives elsewhere begins with a quantile of a sampling distribution or a standard deviation of a
sample: so neither is called outside, but for laws of noise, whose quantiles are no statistics.
"""

import ast
from pathlib import Path

from tests.test_layers import PRODUCT, in_package, module_of, of_each

QUANTILES = {
    *("stdtrit", "nctdtrit", "chdtri", "fdtri", "ndtri", "bdtri", "betaincinv", "btdtri", "erfinv"),
    *("ppf", "isf", "sem", "studentized_range", "ttest_1samp", "ttest_ind", "ttest_rel", "NormalDist"),
}
LAWS = (
    "ldp_core.mechanisms",  # of their noise
    "ldp_core.accounting",  # of privacy loss, and what samples show of it
    "ldp_core.contract",  # of samples against them
    "ldp_core.attacks.findings.bounds",  # of the best attacker
    "pages.parts.noise.adding_up",  # of noise added up
)
OTHERS = [
    file
    for file in PRODUCT
    if not any(in_package(module_of(file), name) for name in ("ldp_core.inference", *LAWS))
]


def statistics(source: str) -> set[str]:
    """Names of quantiles, and `ddof` of a sample's spread, that code uses."""
    found = set[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names} & QUANTILES
        elif isinstance(node, ast.Attribute):
            found |= {node.attr} & QUANTILES
        elif isinstance(node, ast.keyword):
            found |= {str(node.arg)} & {"ddof"}
    return found


@of_each(OTHERS)
def test_figures_are_judged_in_one_room(file: Path):
    used = statistics(file.read_text(encoding="utf-8"))
    assert not used, f"uses {', '.join(sorted(used))}: ask ldp_core.inference"


def test_rule_of_another_room_is_found():
    half = "from scipy import stats\nhalf = stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / n**0.5"
    assert statistics(half) == {"ppf", "ddof"}
    assert statistics("from scipy.special import stdtrit") == {"stdtrit"}
    assert statistics("mean = values.mean()") == set()
