"""Checks tell what holds from what does not, and say what is there instead."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ldp_core.presets import claims
from ldp_core.presets.claims import Check, Sentence, in_words
from ldp_core.presets.evidence import Attempts, Evidence, Missing, Outcome

TRIES = Attempts(np.array([12.0, 25.0, 14.0]), "recovered", hits=9, n=10, chance=0.1, recovered=4, images=20)
LINE = {"coordinate": {"basic": 2.0}, "upload": {"basic": 1300.0}}
ATTACKED = {("audit", 0): TRIES, ("real", 0): TRIES}
GOOD = Outcome("good", 0, 0.9, (1.0, 0.8), 0.9, np.array([0.01, 0.03]), ATTACKED, (LINE,))
POOR = replace(
    GOOD,
    label="poor",
    accuracy=0.4,
    per_class=(0.8, 0.0),
    permissive=0.2,
    noise=np.array([1.0, 3.0]),
    attempts={
        ("audit", 0): replace(TRIES, psnr=np.array([9.0, 11.0, 10.0]), verdict="hidden", hits=1),
        ("real", 0): replace(TRIES, verdict="hidden", recovered=0),
    },
)
SHOWN = Evidence(
    (replace(one, seed=seed) for one in (GOOD, POOR) for seed in (0, 1)),
    [("wild", 0), ("wild", 1), ("good", 2)],
)
CASES: list[tuple[Check, Check, str]] = [
    (claims.ranked("good", "poor", by=0.4), claims.ranked("poor", "good"), "good ends at 90"),
    (claims.alike("good", "poor", within=0.6), claims.alike("good", "poor", within=0.1), "poor ends at 40"),
    (claims.reaches("good", 0.8), claims.reaches("good", high=0.8), "good ends at 90"),
    (
        claims.times_the_noise("poor", "good", 90, 110),
        claims.times_the_noise("poor", "good", 90, 110, added_up=True),
        "poor has 50 times the noise variance of good over all rounds",
    ),
    (claims.names("poor", [1], high=0.01), claims.names("good", [0, 1], high=0.5), "digits 0 to 1 right"),
    (claims.listens("good", low=0.8), claims.listens("poor", low=0.8), "to the permissive clients"),
    (claims.recovers("good"), claims.recovers("poor"), "0 of 2 images came back (poor; at best 11 dB)"),
    (claims.keeps("poor"), claims.keeps("good"), "2 of 2 images came back (good; at best 25 dB)"),
    (claims.returns("good", 0.2, 0.2), claims.returns("poor", low=0.1), "0 of 40 images of real uploads"),
    (claims.blurred("poor", 12), claims.blurred("good", 12), "gets 14 dB"),
    (
        claims.clearer("poor", "good", by=3),
        claims.clearer("good", "poor", by=3),
        "14 dB (good) and 10 dB (poor)",
    ),
    (claims.picks("good"), claims.picks("poor"), "2 of 20 times (poor; guessing: 2)"),
    (
        claims.budget("good", "coordinate", 2, 2),
        claims.budget("good", "upload", 0, 8),
        "ε 1\u202f300 for an upload",
    ),
    (claims.diverges("wild"), claims.diverges("good"), "2 of 3 runs of good stay within the numbers"),
    (claims.both(), claims.both(claims.recovers("good"), claims.reaches("poor", 0.5)), "poor ends at 40"),
]


@pytest.mark.parametrize(("holds", "fails", "shows"), CASES)
def test_a_check_tells_what_holds(holds: Check, fails: Check, shows: str):
    assert holds(SHOWN).outcome == "holds"
    assert fails(SHOWN).outcome != "holds"
    assert shows in fails(SHOWN).shows


def test_what_does_not_hold_is_replaced_by_what_is_there():
    lesson = (
        Sentence("Noise hides."),
        Sentence("The good one is ahead.", claims.ranked("good", "poor")),
        Sentence("Nothing comes back.", claims.keeps("good")),
        Sentence("The third is silent.", claims.names("third", [0], high=0.1)),
    )
    assert in_words(lesson, SHOWN) == (
        "Noise hides. The good one is ahead. In these runs 2 of 2 images came back (good; at best 25 dB)."
    )
    with pytest.raises(Missing):
        claims.diverges("third")(SHOWN)
    half = Evidence([replace(GOOD, seed=0), replace(POOR, seed=0), replace(POOR, seed=1)])
    assert in_words(lesson[1:2], half) == "", "one run is missing: nothing is said"


def test_orders_and_distances_are_judged_by_the_interval_over_seeds():
    def shown(poor: list[float], good: list[float], chance: float = 0.1) -> Evidence:
        both = ((POOR, poor), (GOOD, good))
        return Evidence(
            replace(one, seed=seed, accuracy=value, chance=chance)
            for one, values in both
            for seed, value in enumerate(values)
        )

    def order(*given: Any) -> str:
        return claims.ranked("good", "poor")(shown(*given)).outcome

    assert order([0.5, 0.5, 0.5], [0.6, 0.61, 0.6]) == "holds"
    assert order([0.5], [0.9]) == "cannot tell", "one seed"
    assert order([0.6, 0.7, 0.8], [0.61, 0.78, 0.85]) == "cannot tell", "ahead with each, and by chance"
    assert order([0.6, 0.61, 0.6], [0.5, 0.5, 0.5]) == "contradicted"
    assert order([0.6, 0.6, 0.6], [0.6, 0.601, 0.6]) == "no difference"
    assert order([0.1, 0.1, 0.1], [0.13, 0.13, 0.13]) == "nothing learns"
    near = claims.alike("good", "poor", within=0.05)
    assert near(shown([0.5, 0.5, 0.5], [0.52, 0.51, 0.52])).outcome == "holds"
    assert near(shown([0.5, 0.5, 0.5], [0.6, 0.6, 0.61])).outcome == "contradicted"
    assert near(shown([0.5, 0.5, 0.5], [0.5, 0.4, 0.6])).outcome == "cannot tell"
    lesson = (Sentence("The good one is ahead.", claims.ranked("good", "poor")),)
    assert (
        in_words(lesson, shown([0.5], [0.9]))
        == "In these runs good ends at 90 % and poor ends at 50 %: cannot tell."
    )


def priced(*epsilons: float | None) -> Evidence:
    lines = [{"run_worst": {"epsilon": epsilon, "guarantee": epsilon is not None}} for epsilon in epsilons]
    return Evidence([replace(GOOD, ledger=lines)])


def test_what_a_run_costs_is_held_for_every_client():
    check = claims.costs("good", epsilon=100, within=0.01)
    assert check(priced(99.5, 100.5)).outcome == "holds"
    dear = check(priced(100, 103))
    assert dear.outcome == "contradicted" and "between ε 100 and ε 103" in dear.shows
    assert check(priced(100, None)).outcome == "contradicted"
    with pytest.raises(Missing):
        check(Evidence([replace(GOOD, ledger=())]))


def test_of_many_clients_each_promise_is_looked_at_once():
    promises = [{"run_worst": {"epsilon": epsilon, "guarantee": True}} for epsilon in (100, 120)]
    packed = Evidence([replace(GOOD, ledger={"clients": 2, "promises": promises, "of": ""})])
    assert claims.costs("good", epsilon=100, within=0.01)(packed).outcome == "contradicted"
