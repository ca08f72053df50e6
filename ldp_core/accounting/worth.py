"""Plain words for a guarantee: one word of worth, and an attacker's odds.

An attacker who must tell two equally likely values apart is right with probability at most (e^ε + δ)/(1 +
e^ε) (Kairouz, Oh and Viswanath 2015); for Gaussian noise, whose whole curve is known, at most Φ(μ/2) (Dong,
Roth and Su 2022).
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import log_ndtr

from ldp_core.composition.spending import Promise
from ldp_core.limits import spelled
from ldp_core.mechanisms.shared.gaussian_privacy import mu_of

Word = Literal["much", "some", "little", "nothing"]
UP_TO: tuple[tuple[float, Word], ...] = ((1.0, "much"), (3.0, "some"), (10.0, "little"))
"""Largest ε of a whole run for each word."""
NOTHING: Word = "nothing"
RULE = (
    "For everything a person sends in a run: up to ε 1 promises much, up to 3 some, up to 10 little; "
    "beyond, or without a guarantee, nothing."
)
FEWEST = 100
"""Least number of tries for which right answers are counted."""
COUNTED = math.log(1e6)
"""Largest −ln of the error probability for which tries are counted."""


@dataclass(frozen=True)
class Worth:
    word: Word
    wrong: float
    """Natural logarithm of the least share of wrong answers; −∞ without a lower bound."""

    @property
    def right(self) -> tuple[int, int] | None:
        """Largest number of correct guesses by an attacker, and number of tries; None beyond `COUNTED`."""
        if -self.wrong > COUNTED:
            return None
        tries = max(FEWEST, 10 ** math.ceil(-self.wrong / math.log(10) - 1e-9))
        return tries - math.floor(tries * math.exp(self.wrong) + 1e-9), tries

    @property
    def promises(self) -> str:
        return f"promises {self.word}"

    @property
    def odds(self) -> str:
        """An attacker's best odds at telling two values apart, in words: `in at most 74 of 100 tries`."""
        if math.isinf(self.wrong):
            return "at worst in every try"
        if self.right is None:
            return "at worst in practically every try"
        right, tries = (spelled(count) for count in self.right)
        return f"in at most {right} of {tries} tries"


def word_of(epsilon: float | None) -> Word:
    """Worth of a whole run's ε; None stands for no bound."""
    return next((word for most, word in UP_TO if epsilon is not None and epsilon <= most), NOTHING)


def worth(promise: Promise) -> Worth:
    """Word and odds for a client's whole-run promise."""
    epsilon, delta, word = promise.bound, promise.delta, word_of(promise.bound)
    if math.isinf(epsilon):
        return Worth(word, -math.inf)
    wrong = math.log1p(-delta) - float(np.logaddexp(0.0, epsilon))
    if promise.rule == "gaussian" and delta and epsilon:
        wrong = max(wrong, float(log_ndtr(-mu_of(epsilon, delta) / 2)))
    return Worth(word, wrong)
