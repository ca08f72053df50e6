"""Tables of one's own: what is understood of them is said, and what will not do is one sentence."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ldp_core
from ldp_core import datasets
from ldp_core.accounting import Entry, entries, together_in_words
from ldp_core.datasets import Dataset
from ldp_core.datasets.folders import Sources
from ldp_core.errors import DataUnavailable, InvalidExperiment
from ldp_core.experiment import changed, parse, plan
from ldp_core.federated.federation import assemble
from ldp_core.mechanisms.shared.gaussian_privacy import epsilon_of, mu_of
from ldp_core.theory.turnout import label_counts

ROWS = [
    (i % 5 + 1, 18 + i * 7 % 60, "red" if i % 3 else "blue", "yes" if i * 7 % 60 > 30 else "no")
    for i in range(100)
]


def written(rows: Any = ROWS, head: str = "shop,age,colour,bought", sep: str = ",") -> bytes:
    return "\n".join([head.replace(",", sep), *(sep.join(map(str, row)) for row in rows)]).encode()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path))
    return tmp_path


def table(folder: Path, data: bytes, card: Any = None, name: str = "mine.csv") -> Dataset:
    (folder / name).write_bytes(data)
    if card is not None:
        (folder / "mine.json").write_text(json.dumps(card), encoding="utf-8")
    datasets.registry.look_anew()
    return datasets.get("table:mine")


CARD = {"target": "bought", "client": "shop", "scales": {"age": [0, 100], "colour": ["red", "blue", "green"]}}


def test_full_card_leaves_no_scale_to_learn(folder: Path):
    found: Any = table(folder, written(), CARD)
    assert (found.shape, found.classes, found.clients, found.learnt) == ((1, 4), 2, 5, "")
    assert found.class_names == ("no", "yes")
    data = found.load(folder)
    assert len(data.train_x) == 81
    rows = [ROWS[i] for i in found.found.order[: found.found.train]]
    assert np.allclose(data.train_x[:, 0, 0], [row[1] / 100 for row in rows])
    assert np.array_equal(
        data.train_x[:, 0, 1:], [[row[2] == one for one in ("red", "blue", "green")] for row in rows]
    )
    assert [found.class_names[y] for y in data.train_y] == [row[3] for row in rows]
    assert not {*found.found.order[: found.found.train]} & {*found.found.order[found.found.train :]}


def test_client_column_makes_the_partition(folder: Path):
    found: Any = table(folder, written(), {"client": "shop"})
    experiment = parse({"dataset": "table:mine"})
    assert (experiment.partition.name, experiment.clients.count) == ("as_given", 5)
    labels = found.train_labels(folder)
    for client, shard in enumerate(plan(experiment).split(labels)):
        assert {ROWS[found.found.order[: found.found.train][i]][0] for i in shard} == {client + 1}
    counts = label_counts(plan(experiment), folder)
    assert counts is not None
    assert counts.sum() == found.train_size
    assert "age, colour" in found.learnt
    assert parse({"dataset": "table:mine", "clients": {"count": 7}}).partition.name == "iid"
    with pytest.raises(InvalidExperiment, match="must be 5, the clients that"):
        parse({"dataset": "table:mine", "partition": {"kind": "as_given"}, "clients": {"count": 7}})


def test_gaps_outliers_and_unused_columns_are_reported(folder: Path):
    rows: list[Any] = [
        (i % 2, "" if i < 3 else "nan" if i < 5 else 200 if i < 6 else 50, f"text {i}", 7, i % 3 - 1)
        for i in range(300)
    ]
    rows[9] = (*rows[9][:4], "")
    found: Any = table(folder, written(rows, "a,b,text,same,class"), {"scales": {"b": [0, 100]}})
    said = found.left_out
    assert found.found.target == "class"
    assert "1 rows without a target are left out" in said
    assert "“b” is missing in 5 rows, counted as the middle of its scale" in said
    assert "“b” is beyond its scale, and is clipped in 1 row" in said
    assert "left out (another text in each row): “text”" in said
    assert "left out (one value alone, or nothing): “same”" in said
    data = found.load(folder)
    assert {*np.concatenate([data.train_x, data.test_x])[:, 0, 1]} == {0.5, 1.0}


ONE = "2 to 100 classes are needed"
BAD: dict[str, tuple[bytes, Any, str]] = {
    "empty": (b"", None, "the file is empty"),
    "headings alone": (b"a,b\n", None, "no rows"),
    "one class": (written([(1, 2, 3, 4)] * 9), {"target": "bought"}, ONE),
    "constants": (written([(1, 1, 1, i % 2) for i in range(9)]), {"target": "bought"}, "no column left"),
    "a million classes": (written([(1, i, 2, i) for i in range(9999)]), {"target": "bought"}, ONE),
    "no target": (written([(i, i / 7, f"t{i}", i) for i in range(99)]), None, "looks like a target"),
    "another target": (written(), {"target": "bougth"}, "names the column “bougth”.*did you mean bought"),
    "ragged": (written([*ROWS, (1, 2, 3, 4, 5)]), None, "line 102 has 5 cells"),
    "formula": (written([*ROWS, (1, "=cmd|' /C calc'!A0", 3, 4)]), None, "formula in line 102"),
    "binary": (bytes(range(256)) * 9, None, "cannot be read"),
    "an open question": (written(), {"target": "bought"}, "leaves open: whose rows"),
    "same headings": (written(head="a,a,b,bought"), None, "2 columns called"),
    "too large": (b"a,b\n" + b"1,2\n" * 6_000_000, None, "at most 20 MB"),
    "no card": (written(), [1], "must be an object"),
    "wrong field": (written(), {"targt": "bought"}, "did you mean"),
    "wrong scale": (written(), {"scales": {"age": [5, 5]}}, "least and its most"),
    "wide": (written([range(2101)] * 9, ",".join(map(str, range(2101)))), None, "at most 2"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_unusable_table_is_one_sentence(folder: Path, case: str):
    data, card, why = BAD[case]
    with pytest.raises(DataUnavailable, match=why) as raised:
        table(folder, data, card)
    assert len(str(raised.value)) < 400
    assert [str(raised.value)] == datasets.registry.unusable()
    assert "table:mine" not in datasets.names()
    with pytest.raises(InvalidExperiment, match="cannot be used"):
        parse({"dataset": "table:mine"})


def parquet(**columns: Any) -> bytes:
    import pyarrow
    from pyarrow import parquet

    written = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), written, compression="gzip")
    return written.getvalue()


def test_parquet_is_read_like_csv_and_a_bomb_is_not_unpacked(folder: Path):
    shop, age, colour, bought = zip(*ROWS, strict=True)
    own = parquet(shop=shop, age=age, colour=colour, bought=bought)
    found: Any = table(folder, own, CARD, "mine.parquet")
    data = found.load(folder)
    (folder / "mine.parquet").unlink()
    same = table(folder, written(), CARD).load(folder)
    assert np.array_equal(data.train_x, same.train_x)
    (folder / "mine.csv").unlink()
    bombs = {
        "holds 5000000 rows": parquet(a=np.zeros(5_000_000), b=np.zeros(5_000_000)),
        "more than 20 MB as text": parquet(a=["x" * 1000] * 30_000, b=[1] * 30_000),
        "lists, records": parquet(a=[[1]] * 9),
        "cannot be read": own[:-9],
    }
    for why, bomb in bombs.items():
        assert len(bomb) < 100_000
        with pytest.raises(DataUnavailable, match=why):
            table(folder, bomb, name="mine.parquet")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=4)), max_size=6), card=st.booleans())
def test_damaged_tables_raise_only_data_unavailable(folder: Path, cuts: list[tuple[int, bytes]], card: bool):
    data, described = bytearray(written()), bytearray(json.dumps(CARD).encode())
    for at, put in cuts:
        other = described if card else data
        other[at % len(other) : at % len(other) + len(put) + at % 3] = put
    (folder / "mine.json").write_bytes(described)
    try:
        found = table(folder, bytes(data))
        assert np.isfinite(found.load(folder).train_x).all()
    except DataUnavailable as error:
        assert str(error).startswith("the table")


def test_data_folder_is_listed_for_own_data_names_only(folder: Path, monkeypatch: pytest.MonkeyPatch):
    table(folder, written(), CARD)
    asked = ("digits", "table:mine", "table:other", "images:other", "nothing", None, ["digits"])
    assert [datasets.registry.holds(name) for name in asked] == [True, True] + [False] * 5
    monkeypatch.setattr(Sources, "brought", lambda _: pytest.fail("the data folder is listed"))
    assert datasets.registry.holds("digits") and not datasets.registry.holds("nothing")


def test_epsilon_of_rows_wants_public_scales_and_centres_them(folder: Path):
    table(folder, written(), {"target": "bought", "client": "shop"})
    with pytest.raises(InvalidExperiment) as refused:
        parse({"dataset": "table:mine", "unit": "record"})
    assert [problem.path for problem in refused.value.problems] == ["dataset"]
    data = table(folder, written(), CARD).load(folder)
    experiment = parse({"dataset": "table:mine", "unit": "record", "attack": None, "rounds": 2})
    federation = assemble(plan(experiment), data, torch.device("cpu"))
    assert np.allclose(federation.train_x.numpy(), 2 * data.train_x - 1)
    assert np.allclose(federation.pictures(federation.train_x), data.train_x)
    assert np.allclose(federation.samples_of(data.test_x), 2 * data.test_x - 1)
    assert {entry["unit"] for entry in ldp_core.run(experiment).ledger} == {"record"}


def test_person_column_caps_rows_and_gives_epsilon_of_a_person(folder: Path):
    rows = [(i % 7, *row) for i, row in enumerate(ROWS)]
    data, asked = written(rows, "patient,shop,age,colour,bought"), {"dataset": "table:mine", "unit": "record"}
    offered: Any = table(folder, data, CARD)
    assert len(offered.found.y) == 100
    answers = datasets.registry.look("table:mine").seen.questions[-1]["answers"]
    assert [one["card"] for one in answers[1:]] == [{"person": "patient", "rows_each": n} for n in (10, 1)]
    epsilons = []
    for most in (1, 3):
        found: Any = table(folder, data, {**CARD, "person": "patient", "rows_each": most})
        assert sorted(found.found.order) == [*range(7 * most)]
        assert found.shape == (1, 4)
        train, held = np.split(np.array(found.found.order) % 7, [found.found.train])
        assert len(held) and not {*train} & {*held}
        experiment = changed(parse(asked), {"clients.epsilon_scope": "run", "clients.epsilon": 1})
        entry = entries(plan(experiment))[0]
        assert (entry.persons, Entry.of(entry.as_json())) == (most, entry)
        assert entry.some
        mu = most * float(mu_of(entry.run_worst.bound, entry.run_worst.delta))
        assert entry.some.bound == pytest.approx(float(epsilon_of(entry.run_worst.delta, mu)))
        assert (f"at most {most} records" in together_in_words(entry, str)) == (most > 1)
        epsilons.append(entry.some.bound)
    assert epsilons[0] == pytest.approx(1, rel=1e-3) and epsilons[1] > 3
