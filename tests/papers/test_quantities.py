"""Claims about something else than accuracy: heterogeneity, and images that came back."""

from dataclasses import replace

import numpy as np
import pytest

from ldp_core.papers import get
from ldp_core.papers.base import Claim
from ldp_core.papers.measuring import TOGETHER, left, measure, together
from ldp_core.papers.statements import stated
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import of_arm, verdict
from ldp_core.runs.lockstep import load
from tests.papers.claims import about, ahead, arms, claim, figure, holding

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
