"""Readings of what a paper leaves open: one judges all of a paper's claims, and each is shown."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from ldp_core import papers
from ldp_core.experiment import departures
from ldp_core.inference import interval
from ldp_core.papers.base import Claim, Reading
from ldp_core.papers.measuring import HOUR, further
from ldp_core.papers.rows import table_of
from ldp_core.papers.stored import Shelf, StoredFigure
from ldp_core.papers.verdict import verdict, verdicts
from tests.papers.claims import ahead, claim, figure, holding

AS_IT_IS = Reading(name="as it is", says="One round.")
LONGER = Reading(name="longer", says="Two rounds.", set={"rounds": 2})
READ = [(name, one) for name in papers.names() for one in papers.get(name).claims if one.readings]


def read(*readings: Reading, seeds: int = 3) -> Claim:
    return claim((ahead("C is ahead of A", ("C", "A")),), controls=(), readings=readings, seeds=seeds)


def stored(made: Claim, **gaps: tuple[float, ...]) -> Shelf:
    """By reading (its spaces as underscores): how far C is ahead of A, seed by seed."""
    return holding(
        figure(made.read(name.replace("_", " ")), label, seed, 50.0 + own)
        for name, each in gaps.items()
        for seed, gap in enumerate(each)
        for label, own in (("A", 0.0), ("C", gap))
    )


def test_reading_that_decides_most_judges_whichever_way():
    """Of one reading a statement is contradicted, of the other it cannot be told; ties go to the first."""
    made = read(AS_IT_IS, LONGER)
    found = verdict(made, stored(made, as_it_is=(-5.0, 5.0, 0.1), longer=(-5.0, -5.1, -4.9)))
    assert (found.word, found.reading) == ("contradicted", "longer")
    assert [its.word for _, its in found.each] == ["cannot tell", "contradicted"]
    tie = verdict(made, stored(made, as_it_is=(-5.0, -5.1, -4.9), longer=(5.0, 5.1, 4.9)))
    assert (tie.word, tie.reading) == ("contradicted", "as it is")


def test_reading_that_the_paper_speaks_against_never_judges():
    made = read(AS_IT_IS, LONGER.model_copy(update={"against": "section 1"}))
    found = verdict(made, stored(made, longer=(5.0, 5.1, 4.9)))
    assert (found.word, found.reading) == ("not run", "as it is")
    assert found.each[1][1].word == "holds"
    assert made.read("as it is").tried == 1, "no choice among readings is paid for"


def test_one_reading_judges_all_claims_of_a_paper():
    """Of three claims one is told by the first reading, and all by the second."""
    first = read(AS_IT_IS, LONGER)
    other = replace(first, id="other", measured=tuple(one.under({"seed": 9}) for one in first.measured))
    figures = stored(first, as_it_is=(5.0, 5.1, 4.9), longer=(5.0, 5.1, 4.9)).figures
    more = stored(other, as_it_is=(-5.0, 5.1, 0.1), longer=(-5.0, -5.1, -4.9)).figures
    found = verdicts([first, other], Shelf({**figures, **more}))
    assert {one.reading for one in found.values()} == {"longer"}
    assert [one.word for one in found.values()] == ["holds", "contradicted"]


def test_all_verdicts_of_a_shipped_paper_are_of_one_reading():
    for name in papers.names():
        found = verdicts(papers.get(name).claims, Shelf.of(papers.get(name).figures))
        assert len({one.reading for one in found.values()} - {""}) <= 1, name


def test_a_table_has_the_figures_of_one_reading():
    """Table 2 of PD-LDPFL: its first two rows were of batches of 32, the others of 64."""
    paper = papers.get("pd_ldpfl")
    known, claim = Shelf.of(paper.figures), paper.claim("table-2-mnist")
    assert claim
    how, rows = table_of(claim, known, verdicts(paper.claims, known)[claim.id])
    (reading,) = (one for one in ("batch 32", "batch 64") if one in how)
    for row in rows:
        label = f"FedAvg, {row['row']}"
        assert row["FedAvg"].startswith(f"{known.values(claim.read(reading), [label])[label].mean():.1f} ")


def test_a_claim_opens_in_train_as_its_paper_prints():
    """Personalized LDP-FL starts at zero, by every reading; a random start would depart from it."""
    paper = papers.get("personalized_ldp_fl")
    for one in paper.claims:
        for name, made in one.read_each.items():
            assert made.draft
            for run in made.draft.runs():
                system = run.experiment.as_json()["system"]
                assert system["start"] == "zero", f"{one.id} {name}"
            unlike = {departure.field for departure in departures(made.draft.base)}
            assert not unlike & {"system.start", "system.images"}


def test_intervals_are_widened_for_the_readings():
    """3 seeds, 2 readings and 2 looks: the quantile of 98.75 %, of two sides, by Student's t."""
    gaps = np.array([1.0, 2.0, 3.0])
    made = read(AS_IT_IS, LONGER)
    found = verdict(made, stored(made, as_it_is=tuple(gaps)))
    half = t.ppf(1 - 0.025 / 4, 2) * gaps.std(ddof=1) / np.sqrt(3)
    assert found.parts[0].ours.half == pytest.approx(half)
    assert (made.read("longer").level, made.level) == ("98.75 %", "97.5 %")


def test_two_readings_both_cover_in_95_of_100():
    """4 000 pairs of three seeds around 0: some interval of the two excludes it in 4.9 % (± 1, 3σ)."""
    draw = np.random.default_rng(5).normal(size=(4000, 2, 3))
    missed = [any(abs(one.mean) > one.half for one in (interval(row, 2) for row in pair)) for pair in draw]
    assert np.mean(missed) == pytest.approx(0.049, abs=0.011)


def test_readings_have_keys_of_their_own():
    for _, one in READ:
        first, *rest = one.read_each.values()
        for other in rest:
            pairs = zip(first.measured, other.measured, strict=True)
            assert any(mine.key(0) != its.key(0) for mine, its in pairs)


def test_undecided_statement_gets_seeds_for_an_hour():
    made = read(AS_IT_IS, LONGER)
    undecided = stored(made, as_it_is=(-5.0, 5.0, 1.0), longer=(5.0, 5.1, 4.9))
    asked = further(made, undecided)
    assert {seed for _, seed in asked} == set(range(3, 20)), "up to 20 on digits"
    assert {arm.key(0) for arm, _ in asked} == {made.read("as it is").arm(label).key(0) for label in "AC"}
    assert further(made, stored(made, as_it_is=(5.0, 5.1, 4.9), longer=(5.0, 5.1, 4.9))) == []
    slow = {
        key: StoredFigure(**{**vars(one), "seconds": HOUR / 13}) for key, one in undecided.figures.items()
    }
    assert len(further(made, Shelf(slow))) == 1, "twelve runs of an hour's thirteenth are known"


def test_claim_without_the_judging_reading_is_not_run():
    """No verdict of it is by another reading than those of the paper's other claims."""
    first, other = read(AS_IT_IS, LONGER), replace(read(AS_IT_IS), id="other")
    known = stored(first, as_it_is=(-5.0, 5.0, 0.1), longer=(5.0, 5.1, 4.9))
    found = verdicts([first, other], known)
    assert (found["made"].reading, found["made"].word) == ("longer", "holds")
    assert found["other"].word == "not run" and found["other"].each[0][1].parts
