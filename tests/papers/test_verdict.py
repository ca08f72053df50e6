"""The rule that holds our figures against a paper's: hand-made figures for each verdict."""

import csv
import io
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

from ldp_core import papers
from ldp_core.papers.statements import Statement
from ldp_core.papers.stored import Shelf, read
from ldp_core.papers.verdict import verdict, word_of
from ldp_core.runs.carry import of_claims
from tests.papers.claims import STATEMENTS, claim, figure, holding, shelf


@pytest.mark.parametrize(
    ("of", "values", "word"),
    [
        (2, ([70, 71, 72], [80, 81, 83]), "holds"),
        (1, ([20, 21, 22], [80, 81, 83]), "in part"),
        (1, ([70, 71, 72], [80, 81, 82]), "holds"),
        (0, ([70, 71, 72], [60, 61, 62]), "contradicted"),
        (2, ([70, 75, 80], [80, 75, 72]), "cannot tell"),
        (2, ([70, 75, 80], [70.1, 74.9, 80]), "cannot tell"),
    ],
)
def test_figures_of_two_arms_get_their_word(of: int, values: tuple[list[float], ...], word: str):
    """From the statement `of` on, for figures of A and C; without noise it is 41 %, not 90."""
    made = claim(STATEMENTS[of:])
    found = verdict(made, shelf(made, none=[40, 41, 42], A=values[0], C=values[1]))
    assert (found.word, found.seeds, found.date) == (word, 3, "2026-11-23")


def test_order_among_arms_at_chance_is_no_evidence():
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
    [(81.0, "holds"), (81.9, "holds"), (82.5, "cannot tell"), (84.1, "contradicted"), (77.9, "contradicted")],
)
def test_figure_needs_the_whole_interval_within_two_points(paper: float, outcome: str):
    made = claim((Statement("no noise", of=("none",), paper=paper),))
    found = verdict(made, shelf(made, none=[81, 81, 81]))
    assert 0.9 < found.parts[0].ours.half < 1.1, "three seeds that coincide: of one sample's size"
    assert found.parts[0].outcome == outcome


def test_wide_interval_cannot_tell():
    made = claim((Statement("no noise", of=("none",), paper=80.0),))
    found = verdict(made, shelf(made, none=[79, 80, 81]))
    assert found.parts[0].ours.half > 2
    assert found.word == "cannot tell"
    assert verdict(made, shelf(made, none=[10, 20, 30])).word == "contradicted"


def test_the_best_of_several_arms_counts():
    made = claim((Statement("best", of=("A", "C"), paper=80.0),))
    assert verdict(made, shelf(made, A=[20, 20, 20], C=[80, 80, 80])).word == "holds"


def test_pairs_are_averaged_seed_by_seed():
    made = claim((Statement("ahead", over=(("C", "A"), ("none", "A")), paper=15.0),))
    found = verdict(made, shelf(made, A=[50, 60, 70], C=[60, 70, 80], none=[70, 80, 90]))
    assert (found.parts[0].ours.mean, found.parts[0].ours.half) == pytest.approx((15.0, 1.41), abs=0.01)


def test_two_seeds_or_other_settings_give_no_verdict():
    made = claim()
    assert verdict(made, shelf(made, none=[90, 91], A=[70, 71], C=[80, 81])).word == "not run"
    known = shelf(made, none=[90, 91, 92], A=[70, 71, 72], C=[80, 81, 83]).figures
    assert verdict(made, Shelf({f"x{key}": one for key, one in known.items()})).word == "not run"


def test_a_run_that_failed_is_named_and_not_counted():
    made = claim(STATEMENTS[2:])
    known = shelf(made, A=[70, 71, 72], C=[80, 81, 82]).figures.values()
    found = verdict(made, holding([*known, figure(made, "C", 2, None, status="too uneven")]))
    assert found.word == "not run" and "too uneven" in found.reason


def test_diverged_run_counts_with_its_last_model():
    made = claim(STATEMENTS)
    known = [*shelf(made, none=[90, 91, 92], A=[70, 71, 72]).figures.values()]
    for seed, curve in enumerate([(0.1, 0.2), (0.1, 0.2, 0.3), (0.1,)]):
        known.append(figure(made, "C", seed, None, status="diverged at round 3", curve=curve))
    found = verdict(made, holding(known))
    assert [part.outcome for part in found.parts[1:]] == ["contradicted", "contradicted"]
    assert found.parts[2].ours.mean == pytest.approx(20 - 71)
    assert "C diverges by round 3 with 3 of 3 seeds" in found.reason


def test_a_control_that_does_as_well_is_named():
    made = claim(STATEMENTS[1:])
    for other, words in (
        ([90, 91, 92], "does better (91.0 ± 3.6 %)"),
        ([82, 80, 81], "not clearly behind"),
        ([50, 51, 52], ""),
    ):
        reason = verdict(made, shelf(made, A=[70, 71, 72], C=[80, 81, 82], other=other)).reason
        assert words in reason and ("other" in reason) == bool(words)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder: Path = tmp_path_factory.mktemp("export")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(folder / "runs"))
        names = of_claims.write(folder)
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_exported_runs_equal_stored_figures(exported: dict[str, str]):
    kept = {one.key: one for name in papers.names() for one in read(papers.get(name).figures)}
    found = table(exported["figures.csv"])
    assert len(found) > 1000
    for row in found:
        one = kept[row["key"]]
        assert (float(row["value"]) if row["value"] else None) == one.value
        assert (int(row["seed"]), row["version"], row["date"]) == (one.seed, one.version, one.date)


def test_an_arms_mean_is_that_of_its_exported_runs(exported: dict[str, str]):
    values = defaultdict(list)
    for row in table(exported["figures.csv"]):
        if row["value"] and row["status"] == "completed":
            values[row["paper"], row["claim"], row["reading"], row["arm"]].append(100 * float(row["value"]))
    compared = 0
    for row in table(exported["arms.csv"]):
        own = values[row["paper"], row["claim"], row["reading"], row["arm"]]
        if row["about"] == "accuracy" and row["ours"] and 1 < len(own) == int(row["seeds"]):
            compared += 1
            assert float(row["ours"]) == pytest.approx(np.mean(own), rel=1e-12)
            half = t.ppf(0.5 + float(row["level"].split()[0]) / 200, len(own) - 1) * np.std(own, ddof=1)
            assert float(row["half_width"]) == pytest.approx(half / len(own) ** 0.5, rel=0.02, abs=1e-9)
            assert row["versions"]
    assert compared > 100


def test_figure_has_one_interval_in_all_tables(exported: dict[str, str]):
    arms = {(one["claim"], one["reading"], one["arm"]): one for one in table(exported["arms.csv"])}
    compared = 0
    for one in table(exported["statements.csv"]):
        arm = arms.get((one["claim"], one["reading"], one["statement"].split(":")[0]))
        if arm and one["unit"] == "%" and one["half_width"]:
            compared += 1
            assert float(one["half_width"]) == float(arm["half_width"])
            assert one["level"] == arm["level"] and one["seeds"] and one["versions"]
    assert compared > 20


def test_json_export_equals_csv_export(exported: dict[str, str]):
    for name in ("statements", "arms"):
        as_json, as_csv = json.loads(exported[f"{name}.json"]), table(exported[f"{name}.csv"])
        assert [one["reading"] for one in as_json] == [one["reading"] for one in as_csv]
        assert {"", "batch 64", "changes"} <= {one["reading"] for one in as_csv}
    controls = {one["control"] for one in table(exported["arms.csv"])}
    assert "what this training reaches at best" in controls
