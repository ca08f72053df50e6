"""What a paper leaves open: readings, and the best of them is the claim's verdict."""

import numpy as np
import pytest
from scipy.stats import t

from ldp_core import papers
from ldp_core.errors import InvalidExperiment
from ldp_core.papers.base import Claim, Reading
from ldp_core.papers.measuring import HOUR, further
from ldp_core.papers.statements import Ahead, interval
from ldp_core.papers.stored import Figure, Shelf
from ldp_core.papers.verdict import verdict
from tests.papers.claims import claim, figure, holding

AS_IT_IS, LONGER = Reading("as it is", "One round."), Reading("longer", "Two rounds.", {"rounds": 2})
READ = [(name, one) for name in papers.names() for one in papers.get(name).claims if one.readings]


def read(*readings: Reading, seeds: int = 3) -> Claim:
    return claim((Ahead("C is ahead of A", (("C", "A"),)),), controls=(), readings=readings, seeds=seeds)


def stored(made: Claim, **gaps: tuple[float, ...]) -> Shelf:
    """By reading (its spaces as underscores): how far C is ahead of A, seed by seed."""
    return holding(
        figure(made.read(name.replace("_", " ")), label, seed, 50.0 + own)
        for name, each in gaps.items()
        for seed, gap in enumerate(each)
        for label, own in (("A", 0.0), ("C", gap))
    )


def test_a_claim_is_judged_by_its_best_reading_and_shows_every_one():
    made = read(AS_IT_IS, LONGER)
    known = stored(made, as_it_is=(-5.0, -5.1, -4.9), longer=(5.0, 5.1, 4.9))
    found = verdict(made, known)
    assert (found.word, found.reading) == ("holds", "longer")
    assert [its.word for _, its in found.each] == ["contradicted", "holds"]
    assert found.reason.startswith(
        "Holds whole in 1 of 2 readings, in part in 0; by “longer”, the best that fits all that is printed: "
    )


def test_a_reading_that_contradicts_what_is_printed_judges_nothing_where_another_was_run():
    wrong = Reading("longer", "Two rounds.", {"rounds": 2}, against="section 5 prints one round")
    made = read(AS_IT_IS, wrong)
    known = stored(made, as_it_is=(-5.0, -5.1, -4.9), longer=(5.0, 5.1, 4.9))
    assert verdict(made, known).word == "contradicted"
    alone = verdict(made, stored(made, longer=(5.0, 5.1, 4.9)))
    assert alone.word == "holds"
    assert "(1 not run); by “longer”, although section 5 prints one round" in alone.reason


def test_intervals_are_widened_for_the_readings_that_may_judge():
    """3 seeds and 2 readings: the quantile of 97.5 %, of two sides, by Student's t."""
    gaps = np.array([1.0, 2.0, 3.0])
    made = read(AS_IT_IS, LONGER)
    found = verdict(made, stored(made, as_it_is=tuple(gaps)))
    half = t.ppf(1 - 0.025 / 2, 2) * gaps.std(ddof=1) / np.sqrt(3)
    assert found.parts[0].ours.half == pytest.approx(half)
    against = Reading("longer", "", {"rounds": 2}, against="the paper prints one")
    one = read(AS_IT_IS, against)
    assert verdict(one, stored(one, as_it_is=tuple(gaps))).parts[0].ours.half == interval(gaps).half


def test_of_two_readings_at_least_one_misses_in_5_of_100_at_most():
    """4 000 pairs of three seeds around 0: some interval of the two excludes it in 4.9 % (± 1, 3σ)."""
    draw = np.random.default_rng(5).normal(size=(4000, 2, 3))
    missed = [any(abs(one.mean) > one.half for one in (interval(row, 2) for row in pair)) for pair in draw]
    assert np.mean(missed) == pytest.approx(0.049, abs=0.011)


def test_the_first_reading_changes_nothing_and_each_other_one_something():
    for name, one in READ:
        first, *rest = one.read_each.values()
        assert first.measured == one.measured, f"{name} {one.id}: stored figures keep their keys"
        for other in rest:
            changed = sum(
                mine.key(0) != its.key(0) for mine, its in zip(first.measured, other.measured, strict=True)
            )
            assert changed >= len(one.measured) - 1
        assert 2 <= len(one.readings) <= 4
        assert one.read(one.readings[-1].name).tried == sum(not reading.against for reading in one.readings)


def test_an_unknown_reading_gets_the_names_that_there_are():
    with pytest.raises(InvalidExperiment, match="--reading must be as it is or longer; got “short”"):
        read(AS_IT_IS, LONGER).read("short")
    with pytest.raises(InvalidExperiment, match="made has one reading"):
        claim().read("short")


def test_an_undecided_statement_is_given_more_seeds_until_an_hour_is_over():
    made = read(AS_IT_IS, LONGER)
    undecided = stored(made, as_it_is=(-5.0, 5.0, 1.0), longer=(5.0, 5.1, 4.9))
    asked = further(made, undecided)
    assert {seed for _, seed in asked} == set(range(3, 20)), "up to 20 on digits"
    assert {arm.key(0) for arm, _ in asked} == {made.read("as it is").arm(label).key(0) for label in "AC"}
    assert further(made, stored(made, as_it_is=(5.0, 5.1, 4.9), longer=(5.0, 5.1, 4.9))) == []
    slow = {key: Figure(**{**vars(one), "seconds": HOUR / 13}) for key, one in undecided.figures.items()}
    assert len(further(made, Shelf(slow))) == 1, "twelve runs of an hour's thirteenth are known"
