"""Claims about something else than accuracy: heterogeneity, and images that came back."""

import numpy as np
import pytest

from ldp_core.inference import interval
from ldp_core.papers import get
from ldp_core.papers.arms import Timed, Trained
from ldp_core.papers.base import Claim, arms
from ldp_core.papers.measuring import TOGETHER, left, measure, together
from ldp_core.papers.reasons import of_arm
from ldp_core.papers.statements import Ahead, Saves, stated
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import verdict
from ldp_core.runs.lockstep import load
from pages.parts.charts.claim_figures import against_accuracy, arms_figure
from tests.papers.claims import about, claim, figure, holding

SMALL = {"system": "pd_ldpfl", "dataset": "digits", "rounds": 2}


def unlike(**given: object) -> Claim:
    return claim((Ahead("C is above A", (("C", "A"),), ""),), about="heterogeneity", controls=(), **given)


def shelf(made: Claim, **values: tuple[float, ...]) -> Shelf:
    return about(made, values, 80.0, own_mix=0.75)


def test_claim_is_judged_by_its_own_quantity():
    made = unlike()
    known = shelf(made, A=(0.1, 0.2, 0.15), C=(0.5, 0.7, 0.65))
    found = verdict(made, known)
    assert found.word == "holds"
    assert found.parts[0].ours.mean == pytest.approx(np.mean([0.4, 0.5, 0.5]))
    assert found.parts[0].unit == ""
    for name, expected in (("", 0.15), ("accuracy", 80.0), ("own_mix", 75.0)):
        ours = of_arm(made, known, "A", name)
        assert ours and ours.mean == pytest.approx(expected)
    assert of_arm(made, known, "A", "recovered") is None, "that was not measured"


def test_diverged_runs_have_no_unlikeness():
    made = claim(
        (Ahead("C is above A", (("C", "A"),), ""), Ahead("C is above other", (("C", "other"),), "")),
        about="heterogeneity",
        controls=(),
    )
    known = [*shelf(made, A=(0.1, 0.2, 0.15), C=(0.5, 0.7, 0.65)).figures.values()]
    status = "diverged at round 9"
    known += [figure(made, "other", seed, None, status=status, curve=(0.1,)) for seed in range(3)]
    found = verdict(made, holding(known))
    assert [part.outcome for part in found.parts] == ["holds", "cannot tell"]
    assert "“C is above other”: other diverges" in found.reason and found.seeds == 3
    assert stated(found.parts[1].ours, "") == "–"
    assert verdict(made, holding(known[:-1])).word == "not run", "two runs of it are no verdict"


def test_quantity_is_drawn_against_accuracy():
    made = unlike()
    known = shelf(made, A=(0.1, 0.2, 0.15), C=(0.5, 0.7, 0.65))
    drawn = against_accuracy(made, known)
    assert drawn
    assert [(trace["x"], trace["y"]) for trace in drawn["data"]] == [
        ([pytest.approx(80.0)], [pytest.approx(0.15)]),
        ([pytest.approx(80.0)], [pytest.approx(np.mean([0.5, 0.7, 0.65]))]),
    ]
    assert "heterogeneity" in arms_figure(made, known)["layout"]["xaxis"]["title"]["text"]
    plain = claim()
    assert against_accuracy(plain, holding([figure(plain, "A", 0, 80.0)])) is None


def test_figures_without_a_unit_keep_three_digits():
    assert stated(interval(np.array([0.396, 0.396])), "") == "0.396 ± 0.000"
    assert stated(interval(np.array([4.0, 4.2])), "").startswith("4.10 ± ")
    assert stated(interval(np.array([88.1, 88.1]))) == "88.1 ± 0.0 %"


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
    one, other = paper.claim("unlike-digits"), paper.claim("transforms-digits")
    assert one and other
    keys = [{arm.key(0) for arm in made.measured if isinstance(arm, Trained)} for made in (one, other)]
    assert keys[0] < keys[1]
    assert (one.about, other.about) == ("heterogeneity", "accuracy")


def test_long_runs_are_measured_one_at_a_time():
    def sizes(identity: str) -> set[int]:
        found = get("pd_ldpfl").claim(identity)
        assert found is not None
        return {len(some) for some in together(left([found], Shelf()))}

    assert sizes("clients-mnist-10") == {1}
    assert sizes("clients-digits-10") == {TOGETHER}


def test_timed_run_has_its_own_key():
    arm = Timed("A", SMALL, {})
    assert arm.key(0) != Trained("A", SMALL, {}).key(0)
    (found,) = measure([(arm, 0)], load)
    assert found.value is not None
    assert 0 < found.also["processor"] < 60


def test_saving_is_a_share_of_the_other_time():
    made = claim((Saves("C saves", (("A", "C"),), 40.0),), about="processor")

    def says(*seconds: float) -> tuple[str, float]:
        judged = verdict(made, about(made, {"A": (4.0, 4.0, 4.0), "C": seconds}, 11.0))
        assert "chance" not in judged.reason, "a model that has learned nothing takes as long"
        return judged.word, judged.parts[0].ours.mean

    word, saved = says(2.0, 2.0, 2.0)
    assert word == "holds"
    assert saved == pytest.approx(50.0)
    assert says(2.0, 3.0, 2.0)[0] == "cannot tell", "within what seeds explain"
    word, saved = says(3.0, 3.0, 3.0)
    assert word == "contradicted"
    assert saved == pytest.approx(25.0)
