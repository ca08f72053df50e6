"""Tables that people bring: read as they are meant, or asked about."""

import gzip
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldp_core
from ldp_core import cli, datasets
from ldp_core.datasets import Card, Look, TableFile, _brought
from ldp_core.errors import DataUnavailable, InvalidExperiment
from ldp_core.events import RoundDone
from ldp_core.experiment import parse

CASES = Path(__file__).parent / "cases"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    return tmp_path


def look(folder: Path, name: str, card: Mapping[str, Any] | None = None) -> Look:
    datasets.registry.look_anew()
    if ":" not in name:
        shutil.copy(CASES / f"{name}.csv", folder)
        name = f"table:{name}"
    if card is not None:
        (folder / f"{name.partition(':')[2]}.json").write_text(json.dumps(card), encoding="utf-8")
    return datasets.registry.look(name)


def asked(found: Look) -> set[str]:
    return {next(iter(one["answers"][0]["card"])) for one in found.seen.open}


def answered(folder: Path, name: str, **card: Any) -> Any:
    """The table once its card states the first answer to each question, unless `card` says otherwise."""
    found = look(folder, name)
    made = look(folder, name, found.seen.taken().with_answer(card).as_json()).trains
    assert issubclass(made, TableFile)
    return made


OPEN = {
    "adult_noheader": {"headings", "target"},
    "chinese": {"encoding", "client"},
    "total9": {"client"},
    "total_row": {"client"},
    "glu": {"gaps"},
    "titanic": set[str](),
    "attrition": set[str](),
    "hotel": {"target", "gaps"},
    "insurance": {"target"},
    "uci_har": {"client"},
    "diabetes130": {"client", "gaps"},
    "twoid": {"client"},
    "id_feature": set[str](),
    "money": {"client"},
    "airline_de": {"encoding", "client"},
    "pandas_filtered_index": set[str](),
    "row_names": {"target"},
    "comments": set[str](),
    "rare": set[str](),
}


@pytest.mark.parametrize("name", OPEN)
def test_table_trains_once_open_questions_are_answered(folder: Path, name: str):
    found = look(folder, name)
    assert asked(found) == OPEN[name]
    assert (f"table:{name}" in datasets.names()) == (not OPEN[name])
    if OPEN[name]:
        with pytest.raises(InvalidExperiment, match=r"leaves open: .*data --show"):
            parse({"dataset": f"table:{name}"})
    made = look(folder, name, found.seen.taken().as_json()).trains
    data = made().load(folder)
    assert np.isfinite(data.train_x).all() and 0 <= data.train_x.min() < data.train_x.max() <= 1
    assert set(data.train_y) == set(range(made.classes))


TARGETS = {
    "titanic": "Survived",
    "attrition": "Attrition",
    "diabetes130": "readmitted",
    "uci_har": "Activity",
}


@pytest.mark.parametrize("name", TARGETS)
def test_target_is_found_by_words_of_the_field(folder: Path, name: str):
    assert answered(folder, name).found.target == TARGETS[name]


def test_first_line_of_a_headless_table_is_a_row(folder: Path):
    made, lines = answered(folder, "adult_noheader"), (CASES / "adult_noheader.csv").read_text().splitlines()
    assert made.train_size + made.test_size == len(lines)
    assert made.class_names == ("<=50K", ">50K")


def test_each_encoding_is_offered_as_it_would_read(folder: Path):
    question, _ = look(folder, "chinese").seen.open
    assert question["answers"][0]["card"] == {"encoding": "gb18030"}
    assert len({one["says"] for one in question["answers"]}) == 3
    assert answered(folder, "chinese").class_names == ("否", "是")


@pytest.mark.parametrize("name", ["total9", "total_row"])
def test_row_without_a_target_sets_no_scale(folder: Path, name: str):
    made = answered(folder, name)
    assert [(one.heading, one.scale) for one in made.found.columns] == [("a", (0.0, 9.0))]
    assert made.clients == 2


def test_held_out_rows_set_no_scale(folder: Path):
    """Of 40 rows one is beyond all others: it is clipped where it is held out."""
    for place in range(40):
        rows = [f"{1000 if n == place else n % 7},{'ab'[n % 2]}" for n in range(40)]
        (folder / "far.csv").write_text("\n".join(["a,label", *rows]), encoding="utf-8")
        found: Any = look(folder, "table:far").trains
        held = place in found.found.order[found.found.train :]
        assert found.found.columns[0].scale == ((0.0, 6.0) if held else (0.0, 1000.0))


def test_none_is_a_class_or_a_gap_as_answered(folder: Path):
    assert "None" in answered(folder, "glu").class_names
    assert "None" not in answered(folder, "glu", gaps={"max_glu_serum": True}).class_names


AWAY = {
    "titanic": {"PassengerId", "Name", "Ticket"},
    "attrition": {"EmployeeNumber"},
    "id_feature": {"row_id"},
    "diabetes130": {"encounter_id"},
    "twoid": {"user_id"},
}


@pytest.mark.parametrize("name", AWAY)
def test_counters_and_numbers_of_persons_are_no_features(folder: Path, name: str):
    made = answered(folder, name)
    used = {one.heading for one in made.found.columns}
    assert not AWAY[name] & used
    assert all(f"“{one}”" in made.left_out for one in AWAY[name])


def test_every_column_that_may_name_clients_is_offered(folder: Path):
    (question,) = look(folder, "twoid").seen.open
    assert [one["card"]["client"] for one in question["answers"]] == ["device_id", "user_id", None]
    assert answered(folder, "twoid", client=None).clients == 0


@pytest.mark.parametrize(("name", "column"), [("money", "discount"), ("airline_de", "Rabatt")])
def test_per_cent_are_numbers(folder: Path, name: str, column: str):
    scales = {one.heading: one.scale for one in answered(folder, name).found.columns}
    low, high = scales[column]
    assert 0 < low < 5 and 30 < high < 70


def test_answer_says_whether_a_thousand_is_meant(folder: Path):
    rows = "\n".join(f"{n % 9 + 1},{'ab'[n % 2]}".replace(",", ".000;") for n in range(60))
    (folder / "big.csv").write_text(f"a;label\n{rows}", encoding="utf-8")
    assert asked(look(folder, "table:big")) == {"decimal"}
    for mark, most in ((".", 9.0), (",", 9000.0)):
        found: Any = look(folder, "table:big", {"decimal": mark}).trains
        assert found.found.columns[0].scale[1] == most


def test_each_class_is_held_out_where_that_can_be(folder: Path):
    data = answered(folder, "rare")().load(folder)
    assert np.bincount(data.test_y).tolist() == [47, 1]
    assert np.bincount(data.train_y)[1] == 1


def test_few_held_out_rows_are_said(folder: Path):
    found = look(folder, "pandas_filtered_index")
    assert any("each one more" in one for one in found.seen.gives)
    assert "no column left" in look(folder, "two_rows").refused


def test_other_containers_are_read_or_named(folder: Path):
    text = (CASES / "comments.csv").read_text(encoding="utf-8").splitlines()[2:]
    head, *rows = (line.split(",") for line in text)
    (folder / "packed.csv.gz").write_bytes(gzip.compress("\n".join(text).encode()))
    lines = [json.dumps(dict(zip(head, row, strict=True))) for row in rows]
    (folder / "lines.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "book.xlsx").write_bytes(b"PK")
    plain, packed, lined = (
        look(folder, one).trains().load(folder).train_x for one in ("comments", "table:packed", "table:lines")
    )
    assert np.array_equal(plain, packed) and np.array_equal(plain, lined)
    assert any("book.xlsx" in one and "CSV" in one for one in datasets.registry.unusable())


def test_card_is_shown_kept_and_asked_for_by_commands(folder: Path, capsys: pytest.CaptureFixture[str]):
    shutil.copy(CASES / "uci_har.csv", folder / "har.csv")
    assert cli.main(["data", "--show", "table:har"]) == 2
    assert "subject" in capsys.readouterr().out
    (folder / "run.json").write_text('{"dataset": "table:har", "rounds": 1}', encoding="utf-8")
    assert cli.main(["run", str(folder / "run.json")]) == 2
    assert "whose rows are these?" in capsys.readouterr().err
    assert cli.main(["data", "--show", "table:har", "--yes"]) == 0
    assert json.loads((folder / "har.json").read_text(encoding="utf-8"))["client"] == "subject"
    assert cli.main(["data", "--show", "table:har"]) == 0
    assert parse({"dataset": "table:har"}).partition.name == "as_given"


def test_ceiling_without_noise_is_said(folder: Path):
    shutil.copy(CASES / "total9.csv", folder)
    found = look(folder, "total9", {"client": "shop"})
    datasets.give(found, folder, lambda step: None)
    assert any("without noise" in one and "100%" in one for one in found.seen.gives)


def test_class_that_is_not_held_out_has_no_figure(folder: Path):
    rows = [f"{n % 9},{'ab'[n % 9 > 4]}" for n in range(90)]
    (folder / "few.csv").write_text("\n".join(["x,label", *rows, "5,c"]), encoding="utf-8")
    assert any("no figure" in one for one in look(folder, "table:few").seen.gives)
    run = ldp_core.run(dataset="table:few", rounds=1, count=3, attack=None)
    done = next(one for one in run.events if one["event"] == "round")
    assert done["accuracy_per_class"][2] is None and None not in done["accuracy_per_class"][:2]
    groups = [one for one in done["accuracy_per_group"].values() if one is not None]
    assert groups and all(0 <= one <= 1 for one in groups)
    assert RoundDone.of(done).as_json() == done


def test_scales_of_the_rows_can_be_declared_public(folder: Path):
    (folder / "age.csv").write_text(
        "\n".join(["age,label", *(f"{17 + 7 * n % 74},{'ab'[n % 5 > 2]}" for n in range(73))]),
        encoding="utf-8",
    )
    asked_for = look(folder, "table:age").seen
    assert not asked_for.open
    answers = [one["card"] for asked in asked_for.questions for one in asked["answers"]]
    (answer,) = (one for one in answers if "scales" in one)
    assert answer == {"scales": {"age": [10.0, 90.0]}}
    with pytest.raises(InvalidExperiment, match="scales"):
        parse({"dataset": "table:age", "unit": "record", "clients": {"count": 4}})
    look(folder, "table:age", answer)
    assert parse({"dataset": "table:age", "unit": "record", "clients": {"count": 4}}).unit == "record"


SHIPPED = {
    "first line of counts": (
        ["150,4,setosa,other", *(f"{n % 7},{n % 3},{n % 5},{n % 2}" for n in range(60))],
        60,
    ),
    "counts, fewer cells": (["60,3,a", *(f"{n % 7},{n % 3},{n % 5},{n % 2}" for n in range(60))], 60),
    "spaces": (["'a'  'b' 'label'", *(f"{n % 7}  {n % 3} {n % 2}" for n in range(60))], 60),
    "death": (
        ["male,female,death,age", *(f"{n % 2},{1 - n % 2},{int(n % 5 < 2)},{n % 50}" for n in range(60))],
        60,
    ),
    "fractions": (["rate,share,kind", *(f"{n % 9 / 4},{n % 20 / 8},{'abc'[n % 3]}" for n in range(60))], 60),
    "names": (["surname,x,label", *(f"n{n % 50},{n % 7},{'ab'[n % 2]}" for n in range(60))], 60),
    "sites": (["inst,age,status", *(f"{n % 6},{n % 50},{int(n % 7 < 3)}" for n in range(60))], 60),
}


@pytest.mark.parametrize("name", SHIPPED)
def test_table_of_a_kind_that_packages_ship_is_understood(folder: Path, name: str):
    lines, rows = SHIPPED[name]
    (folder / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    found = look(folder, "table:t")
    if "counts" in name:
        assert {"headings": "skip"} in [one["card"] for one in found.seen.questions[0]["answers"]]
        assert ("fewer" in name) == (found.seen.questions[0]["answers"][0]["card"] == {"headings": "skip"})
        found = look(folder, "table:t", {"headings": "skip"})
    made = look(folder, "table:t", found.seen.taken().as_json()).trains
    assert made.train_size + made.test_size == rows
    used = {one.heading for one in made.found.columns}
    expected = {"death": "death", "fractions": "kind", "sites": "status", "spaces": "label"}
    assert made.found.target == expected.get(name, made.found.target)
    assert ("surname" in used, made.clients) == (False, 6 if name == "sites" else 0)
    if "counts" in name:
        assert made.found.target == "column 4"


def test_answers_of_an_unknown_kind_are_refused(folder: Path):
    shutil.copy(CASES / "comments.csv", folder)
    for card, why in (
        ({"headings": "yes"}, "headings"),
        ({"encoding": "klingon"}, "encoding"),
        ({"gaps": {"a": "b"}}, "gaps"),
        ({"held_out": True}, "held_out"),
    ):
        look(folder, "comments", card)
        with pytest.raises(DataUnavailable, match=why):
            datasets.get("table:comments")


EARLIER = {"table": (32, 8, 47.0, 4), "images": (7, 1, 5662.118, 0)}


@pytest.mark.parametrize("kind", EARLIER)
def test_data_that_an_earlier_version_kept_open_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(tmp_path))
    room = tmp_path / "own" / ("0" * 16)
    room.mkdir(parents=True)
    shutil.copy(CASES / f"earlier.{kind}", room / f"{'1' * 8}.{kind}")
    (room / f"{'1' * 8}.title").write_text("mine\n9e9", encoding="utf-8")
    source = datasets.get(f"{kind}:{'0' * 16}.{'1' * 8}")
    data = source.load(tmp_path)
    train, test, total, clients = EARLIER[kind]
    assert (source.train_size, source.test_size, source.clients) == (train, test, clients)
    assert float(data.train_x.sum()) == pytest.approx(total)
    if kind == "table":
        stored = {"stored": (CASES / "earlier.table").read_bytes()}
        about, _ = _brought._again(stored["stored"], Card(client=""))
        assert about["found"]["client"] == ""
