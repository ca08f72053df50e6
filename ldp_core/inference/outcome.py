"""Outcomes of statements, by one rule for papers, comparisons and lessons."""

from collections.abc import Iterable
from typing import Literal

Outcome = Literal["holds", "contradicted", "no difference", "cannot tell", "nothing learns"]

SMALL = 0.005
"""Half-width, as a share, of the interval around 0 that counts as no difference."""
AT_CHANCE = 0.05
"""Distance above the guessing rate, as a share, below which an accuracy counts as chance."""

RULE = (
    "- **holds**: the whole 95 % interval over seeds lies on the statement's side of zero\n"
    "- **contradicted**: the whole interval lies on the other side\n"
    f"- **no difference**: the interval lies around zero and within ±{100 * SMALL:g} points\n"
    "- **cannot tell**: any other interval\n"
    f"- **nothing learns**: no run that it speaks of ends {100 * AT_CHANCE:g} points above guessing"
)


def judged(low: float, high: float, small: float = SMALL) -> Outcome:
    """Outcome of a statement from the interval of its margin (positive where it holds).

    Args:
        low: lower end of the interval.
        high: upper end of the interval.
        small: largest margin that counts as no difference, in the same unit.
    """
    if low > 0:
        return "holds"
    if high < 0:
        return "contradicted"
    return "no difference" if -small <= low and high <= small else "cannot tell"


def within(low: float, high: float, target: float, margin: float) -> Outcome:
    """Outcome of a figure that is claimed: an interval in a margin around it holds, one outside contradicts.

    Two one-sided tests (Schuirmann 1987): a wide interval holds nothing.
    """
    if target - margin <= low and high <= target + margin:
        return "holds"
    return "contradicted" if low > target + margin or high < target - margin else "cannot tell"


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Outcome of several statements: contradicted if one of them is."""
    missed = set(outcomes) - {"holds"}
    if "contradicted" in missed:
        return "contradicted"
    return "cannot tell" if len(missed) > 1 else missed.pop() if missed else "holds"


def at_chance(accuracy: float, chance: float | None) -> bool:
    """Whether an accuracy is no better than guessing; False if the chance level is unknown."""
    return chance is not None and accuracy < chance + AT_CHANCE
