"""Paper 001's settings for each of its data sets, in both cases."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    clients: int
    rounds: int
    batch: int
    delta: float
    clip: float
    budgets: tuple[str, ...]
    sampling: float = 0.8
    """Sampling probability q, for clients with equal distributions only."""


DIGITS = ("digits_llh", "digits_lmh", "digits_lhh")
FASHION = ("fashion_llh", "fashion_lmh", "fashion_lhh")
COVTYPE, VOTES = ("covtype_lh", "covtype_lmh"), ("votes_lh", "votes_lmh")
SETTINGS = {
    ("iid", "digits"): Setting(3, 10, 50, 1 / 500, 200, DIGITS),
    ("iid", "fashion_mnist"): Setting(3, 20, 50, 1 / 1000, 2, FASHION, 0.9),
    ("iid", "covtype"): Setting(10, 50, 1000, 1 / 50_000, 2, COVTYPE),
    ("non_iid", "digits"): Setting(10, 10, 400, 1e-5, 4, VOTES),
    ("non_iid", "fashion_mnist"): Setting(10, 10, 200, 1e-5, 4, VOTES),
    ("non_iid", "covtype"): Setting(10, 20, 2500, 1e-5, 2, COVTYPE),
}
STANDS_FOR = {"mnist": "digits"}
"""Actual data set by the paper's name: what the paper calls MNIST are scikit-learn's digits."""
DATA = tuple(dict.fromkeys(dataset for _, dataset in SETTINGS))
