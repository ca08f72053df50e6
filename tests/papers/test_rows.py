"""What is exported of the claims: agrees with the stored figures to the digit, in every form."""

import csv
import io
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

from ldp_core import papers
from ldp_core.inference import Interval
from ldp_core.papers.statements import stated
from ldp_core.papers.stored import read
from ldp_core.runs.carry import of_claims


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
    """In statements, arms and the paper's own table: each had a level of its own."""
    arms = {(one["claim"], one["reading"], one["arm"]): one for one in table(exported["arms.csv"])}
    compared = 0
    for one in table(exported["statements.csv"]):
        arm = arms.get((one["claim"], one["reading"], one["statement"].split(":")[0]))
        if arm and one["unit"] == "%" and one["half_width"]:
            compared += 1
            assert float(one["half_width"]) == float(arm["half_width"])
            assert one["level"] == arm["level"] and one["seeds"] and one["versions"]
    assert compared > 20
    checked = 0
    for name in papers.names():
        for shown in (claim for claim in papers.get(name).claims if claim.cells):
            text = exported[f"tables/{name}-{shown.id}.csv"]
            for (head, named), row in zip(shown.cells.items(), table(text), strict=True):
                assert row["row"] == head
                for column, label in named.items():
                    made = (arm for key, arm in arms.items() if key[::2] == (shown.id, label))
                    (judging,) = (arm for arm in made if arm["judges"] == "True")
                    assert judging["level"] in row["measured"] and judging["reading"] in row["measured"]
                    if judging["ours"]:
                        half = float(judging["half_width"])
                        mean = stated(Interval(float(judging["ours"]), half, 3), "")
                        checked += row[column].startswith(mean)
                        assert row[column].startswith(mean)
    assert checked > 50


def test_table_marks_diverged_and_unmeasured_rows(exported: dict[str, str]):
    (row, *_) = table(exported["tables/pd_ldpfl-unlike-mnist.csv"])
    assert "of 3 diverged" in row["log"]
    (row, *_) = table(exported["tables/personalized_ldp_fl-iid-covtype.csv"])
    assert {row[column] for column in row if column not in ("row", "measured")} == {"–"}


def test_json_export_equals_csv_export(exported: dict[str, str]):
    for name in ("statements", "arms"):
        as_json, as_csv = json.loads(exported[f"{name}.json"]), table(exported[f"{name}.csv"])
        assert [one["reading"] for one in as_json] == [one["reading"] for one in as_csv]
        assert {"", "batch 64", "changes"} <= {one["reading"] for one in as_csv}
    controls = {one["control"] for one in table(exported["arms.csv"])}
    assert "what this training reaches at best" in controls


def test_a_pack_has_figure_settings_seeds_version_and_command(exported: dict[str, str]):
    found = of_claims.pack("pd_ldpfl", "table-2-mnist")
    about = json.loads(found["claim.json"])
    assert about["commands"][1].endswith('--only table-2-mnist --reading "batch 64"')
    assert about["seeds"] == 3
    assert found["figure batch 32.svg"].startswith("<svg")
    assert found["cite.bib"].count("@article") == 5
    assert of_claims.packed(found)[:2] == b"PK"
