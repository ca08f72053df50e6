"""The rule that holds our figures against a paper's: hand-made figures for each verdict."""

import numpy as np
import pytest

from ldp_core.papers.statements import Gain, Value, interval
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import verdict, word_of
from tests.papers.claims import STATEMENTS, claim, figure, holding, shelf


def test_an_interval_is_students():
    """Three figures 1, 2, 3: mean 2, t(2 degrees, 97.5 %) = 4.30265, standard error 1/√3."""
    found = interval(np.array([1.0, 2.0, 3.0]))
    assert (found.mean, found.half) == pytest.approx((2.0, 4.30265 / np.sqrt(3)), abs=1e-4)
    assert interval(np.array([1.0])).half == np.inf


def test_a_claim_whose_statements_all_hold_holds():
    made = claim()
    found = verdict(made, shelf(made, none=[90, 91, 92], A=[70, 71, 72], C=[80, 81, 83]))
    assert (found.word, {part.outcome for part in found.parts}) == ("holds", {"holds"})
    assert (found.seeds, found.date, found.older) == (3, "2026-11-23", ("v1",))


@pytest.mark.parametrize(
    ("of", "values", "word", "because"),
    [
        (1, ([20, 21, 22], [80, 81, 83]), "in part", "C over A +60.3 ± 1.4 points"),
        (0, ([70, 71, 72], [60, 61, 62]), "contradicted", "Contradicted: here no noise 41.0 ± 2.5 %"),
        (0, ([70, 71, 72], [60, 61, 62]), "contradicted", "“C is ahead of A” by −10.0"),
        (2, ([70, 75, 80], [80, 75, 72]), "cannot tell", "Cannot tell: here “C is ahead of A” by +0.7"),
        (2, ([70, 75, 80], [70.1, 74.9, 80]), "no difference", "No difference: here"),
    ],
)
def test_a_verdict_is_a_word_and_a_reason(of: int, values: tuple[list[float], ...], word: str, because: str):
    """From the statement `of` on, for figures of A and C; without noise it is 41 %, not 90."""
    made = claim(STATEMENTS[of:])
    found = verdict(made, shelf(made, none=[40, 41, 42], A=values[0], C=values[1]))
    assert found.word == word
    assert because in found.reason


def test_an_order_among_arms_at_chance_says_nothing_of_it():
    """A Gain that is contradicted by its figures as much as an order that is met by them; not a figure."""
    made = claim(STATEMENTS)
    found = verdict(made, shelf(made, none=[9, 10, 11], A=[11, 11, 11], C=[13, 13, 13]))
    assert [part.outcome for part in found.parts] == ["contradicted", "nothing learns", "nothing learns"]
    one = verdict(made, shelf(made, none=[90, 91, 92], A=[11, 11, 11], C=[31, 31, 31]))
    assert one.parts[2].outcome == "holds", "one of them learns"


@pytest.mark.parametrize(
    ("outcomes", "word"),
    [
        ("holds, holds", "holds"),
        ("holds, contradicted", "in part"),
        ("holds, cannot tell", "in part"),
        ("contradicted, cannot tell", "contradicted"),
        ("cannot tell, no difference", "cannot tell"),
        ("nothing learns, nothing learns", "nothing learns"),
    ],
)
def test_a_claim_is_contradicted_only_where_a_statement_is(outcomes: str, word: str):
    assert word_of({*outcomes.split(", ")}) == word  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("paper", "outcome"),
    [(81.0, "holds"), (82.9, "holds"), (83.1, "contradicted"), (79.1, "holds"), (78.9, "contradicted")],
)
def test_the_tolerance_is_two_points_beyond_the_interval(paper: float, outcome: str):
    made = claim((Value("no noise", ("none",), paper),))
    found = verdict(made, shelf(made, none=[81, 81, 81]))
    assert found.parts[0].ours.half == 0
    assert found.parts[0].outcome == outcome


def test_an_interval_that_says_nothing_meets_nothing_and_excludes_what_lies_outside():
    made = claim((Value("no noise", ("none",), 80.0),))
    found = verdict(made, shelf(made, none=[70, 80, 90]))
    assert found.parts[0].ours.half > 20
    assert found.word == "cannot tell"
    assert verdict(made, shelf(made, none=[10, 20, 30])).word == "contradicted"


def test_the_best_of_several_arms_counts():
    made = claim((Value("best", ("A", "C"), 80.0),))
    assert verdict(made, shelf(made, A=[20, 20, 20], C=[80, 80, 80])).word == "holds"


def test_pairs_are_averaged_seed_by_seed():
    made = claim((Gain("ahead", (("C", "A"), ("none", "A")), 15.0),))
    found = verdict(made, shelf(made, A=[50, 60, 70], C=[60, 70, 80], none=[70, 80, 90]))
    assert (found.parts[0].ours.mean, found.parts[0].ours.half) == pytest.approx((15.0, 0.0))


def test_two_seeds_and_figures_of_another_setting_are_no_verdict():
    made = claim()
    found = verdict(made, shelf(made, none=[90, 91], A=[70, 71], C=[80, 81]))
    assert found.word == "not run"
    assert found.reason == "6 of 9 runs are measured; a verdict needs 3 seeds of each arm."
    known = shelf(made, none=[90, 91, 92], A=[70, 71, 72], C=[80, 81, 83]).figures
    others = Shelf({f"x{key}": one for key, one in known.items()})
    assert verdict(made, others).reason == verdict(made, Shelf()).reason == "No run of it is stored."


def test_a_run_that_failed_is_named_and_not_counted():
    made = claim(STATEMENTS[2:])
    known = shelf(made, A=[70, 71, 72], C=[80, 81, 82]).figures.values()
    broken = figure(made, "C", 2, None, status="its partition is too uneven")
    found = verdict(made, holding([*known, broken]))
    assert found.word == "not run"
    assert "“C” with seed 2: its partition is too uneven" in found.reason


def test_a_run_that_diverged_counts_with_its_last_model_and_is_named():
    made = claim(STATEMENTS)
    known = [*shelf(made, none=[90, 91, 92], A=[70, 71, 72]).figures.values()]
    for seed, curve in enumerate([(0.1, 0.2), (0.1, 0.2, 0.3), (0.1,)]):
        status = f"diverged at round {len(curve)}: the weights of client 1 reached nan"
        known.append(figure(made, "C", seed, None, status=status, curve=curve))
    found = verdict(made, holding(known))
    outcomes = ["holds", "contradicted", "contradicted"]
    assert (found.word, [part.outcome for part in found.parts]) == ("in part", outcomes)
    assert found.parts[2].ours.mean == pytest.approx(20 - 71)
    assert (
        "; C diverges by round 3 with 3 of 3 seeds (noise of σ 5 beside weights of size 0.5; its last model "
        "counts)" in found.reason
    )


def test_missing_data_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path):
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    from ldp_core import papers

    lacking = papers.get("pldp_fl").claim("modes-mnist")
    assert lacking is not None
    reason = "The data are not on this machine: MNIST (28×28); python -m ldp_core data mnist brings it here"
    assert verdict(lacking, Shelf()).reason == f"{reason}."
    clothes = papers.get("pldp_fl").claim("modes-fashion_mnist")
    assert clothes and "and Debian's package dataset-fashion-mnist has its four files" in clothes.missing


def test_a_run_at_chance_says_why_with_the_noise_beside_the_weights():
    made = claim(STATEMENTS[1:])
    found = verdict(made, shelf(made, A=[11, 12, 10], C=[21, 22, 20]))
    assert "A ends at chance: the noise left at the server has σ 5 beside weights of size 0.5" in found.reason
    above = verdict(made, shelf(made, A=[70, 71, 72], C=[80, 81, 82]))
    assert "chance" not in above.reason


def test_a_control_that_does_as_well_is_named():
    made = claim(STATEMENTS[1:])
    ours = {"A": [70, 71, 72], "C": [80, 81, 82]}
    better = verdict(made, shelf(made, **ours, other=[90, 91, 92]))
    assert "other does better (91.0 ± 2.5 %): it is simpler" in better.reason
    alike = verdict(made, shelf(made, **ours, other=[82, 80, 81]))
    assert "other is not clearly behind" in alike.reason, "which is not to be as good"
    assert "other" not in verdict(made, shelf(made, **ours, other=[50, 51, 52])).reason
