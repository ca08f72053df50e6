"""Named distributions of budgets or ranges, assigned to any number of clients in client order."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ldp_core.mechanisms.base import Floats


@dataclass(frozen=True)
class Mode:
    """A named distribution over clients, with its words for pages."""

    label: str
    summary: str
    deal: Callable[[int], Floats]
    """Function from the number of clients to one value per client, shape (count,)."""


def cycle(*values: float) -> Callable[[int], Floats]:
    """Assign the values in turn, cyclically: the modes of paper 000."""
    return lambda count: np.resize(np.array(values, dtype=np.float64), count)


def blocks(*parts: tuple[float, float]) -> Callable[[int], Floats]:
    """Assign each value of (share, value) pairs to a block of clients; shares add up to 1."""

    def deal(count: int) -> Floats:
        ends = np.round(np.cumsum([share for share, _ in parts]) * count).astype(int)
        sizes = np.diff(ends, prepend=0)
        return np.repeat(np.array([value for _, value in parts], dtype=np.float64), sizes)

    return deal


def two_volunteers(count: int) -> Floats:
    """ε 0.5 for all clients but the last two, who have ε 8."""
    budgets = np.full(count, 0.5)
    budgets[max(0, count - 2) :] = 8.0
    return budgets


def heavy_tailed(count: int) -> Floats:
    """Quantiles of a Pareto distribution with index 1 from ε 0.2, cut off at 20, in rising order."""
    rank = (np.arange(count) + 0.5) / count
    return np.minimum(0.2 / (1 - rank), 20.0)


EPSILON_MODES: dict[str, Mode] = {
    "two_volunteers": Mode(
        "Two volunteers", "Everybody asks for ε 0.5; the last two offer ε 8.", two_volunteers
    ),
    "half_and_half": Mode(
        "Half and half",
        "The first half asks for ε 0.5, the second half offers ε 8.",
        blocks((0.5, 0.5), (0.5, 8.0)),
    ),
    "three_levels": Mode(
        "Three levels",
        "54 % cautious (ε 0.5), 37 % moderate (ε 2), 9 % open (ε 8): the shares of Jorgensen et al. 2015.",
        blocks((0.54, 0.5), (0.37, 2.0), (0.09, 8.0)),
    ),
    "heavy_tailed": Mode(
        "Heavy-tailed",
        "Half of the clients ask for ε 0.2 to 0.4; the most open one offers 0.4 times as much as there are "
        "clients, ε 20 at most (Pareto law).",
        heavy_tailed,
    ),
    "eps1": Mode("ε₁ of PLDP-FL", "ε 0.1 and 0.2 in turn (paper 000).", cycle(0.1, 0.2)),
    "eps2": Mode(
        "ε₂ of PLDP-FL", "ε 0.1, 0.2, … 1.0 in turn (paper 000).", cycle(*(k / 10 for k in range(1, 11)))
    ),
    "eps3": Mode("ε₃ of PLDP-FL", "ε 0.9 and 1.0 in turn (paper 000).", cycle(0.9, 1.0)),
}

STRICT_SHARES = (10, 25, 50, 75, 90)
"""Percentages of clients with the small ε."""
EPSILON_MODES |= {
    f"strict_{share}": Mode(
        f"{share} % strict",
        f"{share} % of the clients ask for ε 0.5, the others offer ε 8.",
        blocks((share / 100, 0.5), (1 - share / 100, 8.0)),
    )
    for share in STRICT_SHARES
}

PAPER_001: dict[str, tuple[tuple[float, float], ...]] = {
    "digits_llh": ((2 / 3, 1), (1 / 3, 10)),
    "digits_lmh": ((1 / 3, 1), (1 / 3, 5), (1 / 3, 10)),
    "digits_lhh": ((1 / 3, 1), (2 / 3, 10)),
    "fashion_llh": ((2 / 3, 0.05), (1 / 3, 1)),
    "fashion_lmh": ((1 / 3, 0.05), (1 / 3, 0.5), (1 / 3, 1)),
    "fashion_lhh": ((1 / 3, 0.05), (2 / 3, 1)),
    "covtype_lh": ((0.5, 1), (0.5, 10)),
    "covtype_lmh": ((0.3, 1), (0.4, 5), (0.3, 10)),
    "votes_lh": ((0.5, 5), (0.5, 15)),
    "votes_lmh": ((0.3, 5), (0.4, 10), (0.3, 15)),
}
"""(share, ε) of each block of clients; low, middle and high are the paper's names."""


def _of_paper_001() -> dict[str, Mode]:
    found = {}
    for name, parts in PAPER_001.items():
        budgets = ", ".join(f"{100 * share:.0f} % ε {value:g}" for share, value in parts)
        shares = ", ".join(f"{share:.0%} of the clients ask for ε {value:g}" for share, value in parts)
        data = name.partition("_")[0].replace("votes", "sign votes")
        label = f"{budgets} (Personalized LDP-FL, {data})"
        found[name] = Mode(label, f"{shares} (paper 001).", blocks(*parts))
    return found


EPSILON_MODES |= _of_paper_001()

RANGE_MODES: dict[str, Mode] = {
    "tau1": Mode("τ₁ of PLDP-FL", "Ranges 0.2 and 0.4 long in turn (paper 000).", cycle(0.1, 0.2)),
    "tau2": Mode(
        "τ₂ of PLDP-FL",
        "Ranges 0.2, 0.4, … 2.0 long in turn (paper 000).",
        cycle(*(k / 10 for k in range(1, 11))),
    ),
    "tau3": Mode("τ₃ of PLDP-FL", "Ranges 1.8 and 2.0 long in turn (paper 000).", cycle(0.9, 1.0)),
}
