"""Readings of what a paper leaves open: one judges all of a paper's claims, and each is shown."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from ldp_core import papers
from ldp_core.experiment import departures
from ldp_core.papers import get
from ldp_core.papers.base import Claim, Reading
from ldp_core.papers.measuring import HOUR, TOGETHER, further, left, measure, together
from ldp_core.papers.statements import stated
from ldp_core.papers.stored import Shelf, StoredFigure
from ldp_core.papers.verdict import of_arm, verdict, verdicts
from ldp_core.runs.lockstep import load
from tests.papers.claims import about, ahead, arms, claim, figure, holding

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


SMALL = {"system": "pd_ldpfl", "dataset": "digits", "rounds": 2}


def unlike(**given: object) -> Claim:
    return claim((ahead("C is above A", ("C", "A")),), about="heterogeneity", controls=(), **given)


def shelf(made: Claim, **values: tuple[float, ...]) -> Shelf:
    return about(made, values, 80.0, own_mix=0.75)


def test_claim_is_judged_by_its_own_quantity():
    made = unlike()
    known = shelf(made, A=(0.1, 0.2, 0.15), C=(0.5, 0.7, 0.65))
    found = verdict(made, known)
    assert found.word == "holds"
    assert found.parts[0].ours.mean == pytest.approx(np.mean([0.4, 0.5, 0.5]))
    assert found.parts[0].unit == ""
    for name, expected in (("A", 0.15), ("A @ accuracy", 80.0), ("A @ own_mix", 75.0)):
        ours = of_arm(made, known, name)
        assert ours and ours.mean == pytest.approx(expected)
    assert of_arm(made, known, "A @ recovered") is None, "that was not measured"


def test_diverged_runs_have_no_unlikeness():
    made = claim(
        (ahead("C is above A", ("C", "A")), ahead("C is above other", ("C", "other"))),
        about="heterogeneity",
        controls=(),
    )
    known = [*shelf(made, A=(0.1, 0.2, 0.15), C=(0.5, 0.7, 0.65)).figures.values()]
    status = "diverged at round 9"
    known += [figure(made, "other", seed, None, status=status, curve=(0.1,)) for seed in range(3)]
    found = verdict(made, holding(known))
    assert [part.outcome for part in found.parts] == ["holds", "cannot tell"]
    assert "other diverges" in found.reason and found.seeds == 3
    assert stated(found.parts[1].ours, "") == "–"
    assert verdict(made, holding(known[:-1])).word == "not run", "two runs of it are no verdict"


def test_claim_runs_record_all_their_quantities():
    attack = {"attacker": {"name": "least_squares"}, "candidates": 2}
    alone = {"system.input": "none", "system.output": "none", "mechanism.name": "none"}
    made = arms(SMALL, {"kept": {}, "attacked": {**alone, "attack": attack}})
    kept, attacked = measure([(arm, 0) for arm in made], load)
    assert set(kept.also) == {"heterogeneity", "own_mix", "extended", "unnoised"}
    assert kept.also["heterogeneity"] > 0 and 0 < kept.also["extended"] <= 1
    assert attacked.also["recovered"] == 1.0, "without noise every image of one step comes back"


def test_claims_of_other_quantities_share_runs():
    paper = get("pd_ldpfl")
    one, other = paper.claim("unlike-mnist"), paper.claim("transforms-mnist")
    assert one and other
    keys = [{arm.key(0) for arm in made.measured} for made in (one, other)]
    assert keys[0] < keys[1]
    assert (one.about, other.about) == ("heterogeneity", "accuracy")


def test_one_run_gives_several_quantities_of_a_statement():
    later, own = ahead("later", ("A @ round 2", "A @ round 1")), ahead("own", ("A @ extended", "A"))
    made = claim((later, own))
    runs = (figure(made, "A", seed, 70.0 + seed, curve=(0.1, 0.5, 0.7)) for seed in range(3))
    found = verdict(made, holding(replace(one, also={"extended": 0.9}) for one in runs))
    assert [part.ours.mean for part in found.parts] == [pytest.approx(20.0), pytest.approx(19.0)]


def test_long_runs_are_measured_one_at_a_time():
    def most(identity: str) -> int:
        found = get("pd_ldpfl").claim(identity)
        assert found is not None
        return max(len(some) for some in together(left([found], Shelf())))

    assert most("table-2-mnist") == 1
    assert most("unlike-data-digits") == TOGETHER
