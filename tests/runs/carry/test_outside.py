"""Rounds from elsewhere are taken whole, or refused in a sentence that names the line; nothing half kept."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core.errors import InvalidInput, NotYours
from ldp_core.experiment import parse
from ldp_core.runs.carry import bring_rounds, outside
from ldp_core.runs.carry.rounds_of_others import Line, read
from ldp_core.runs.jobs.tables import as_csv
from ldp_core.runs.lockstep import drive
from ldp_core.runs.queue.permissions import Person

LINES = b"""round,accuracy,label,seed,more
10,50%,a,1,x
0,0.1,a,1,
10,0.6,b,,=1+1
"""


def test_rounds_in_any_order_with_gaps_and_labels():
    a, b = read(LINES)
    assert (a.label, a.seed, b.label, b.seed) == ("a", 1, "b", 0)
    assert a.figures == {"accuracy": ((0, 0.1), (10, 0.5))}
    assert b.figures["accuracy"] == ((10, 0.6),)
    assert read(LINES.replace(b",", b";")) == read(LINES.replace(b",", b"\t")) == (a, b)
    rows = [{"round": 10, "acc": 0.5}, {"round": 0, "accuracy": 0.1}]
    objects = [row | {"label": "a", "seed": 1} for row in rows]
    assert read("\n".join(map(json.dumps, objects)).encode()) == (a,) == read(json.dumps(objects).encode())


def test_our_own_events_are_such_lines():
    events = [e for turn in drive({0: parse({"rounds": 2, "attack": None})}) for e in turn.events]
    (line,) = read("".join(json.dumps(event) + "\n" for event in events).encode())
    rounds = [event for event in events if event["event"] in ("start", "round")]
    recorded = {name: tuple((e["round"], e[name]) for e in rounds if name in e) for name in line.figures}
    assert line == Line("", 0, recorded)
    assert [number for number, _ in recorded["accuracy"]] == [0, 1, 2]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"accuracy\n0.5", "names no column “round”"),
        (b"round,accuracy\n", "it has no rounds"),
        (b"round,height\n1,2", "it has no rounds"),
        (b"round,accuracy\n1,87", "line 2: accuracy must be a share from 0 to 1 .*; got “87”"),
        (b"round,accuracy\n1,-0.1", "line 2: accuracy must be a share"),
        (b"round,accuracy\n1,nan", "it has no rounds"),
        (b"round,loss\n1,-2.5", "line 2: loss must be a number of at least 0; got “-2.5”"),
        (b"round,accuracy,acc\n1,0.1,0.2\n1,0.1,0.2", "line 3: round 1 is there twice"),
        (b"step,global acc,server acc\n1,0.1,0.2", "several columns of accuracy, “global acc” and"),
        (b"round,accuracy\n1.5,0.1", "line 2: round must be a whole number from 0 to 100000; got “1.5”"),
        (b"round,accuracy\n,0.1", "line 2: round must be a whole number"),
        (b"round,accuracy\n1000000,0.1", "line 2: round must be"),
        (b"round,accuracy\n1,0.1\n1,0.2", "line 3: round 1 is there twice"),
        (b"round,accuracy\n1,0.1,5", "line 2 has 3 cells and the header 2"),
        (b"Wall time,Stage,Value\n1,2,3\n", "no column “round”: “Wall time, Stage, Value”; call one of"),
        (b'{"round": 1, "accuracy": 0.1}\n{"round": 2', "line 2 is no JSON"),
        (b'{"round": 1, "accuracy": NaN}', "it has no rounds"),
        (b"round;loss\n1;1.250", "line 2: loss has two readings, 1\u202f250 with a point .* and 1.25 with"),
        (b'{"round": true, "accuracy": 0.5}', "line 1: round must be"),
        (b'{"round": 1, "accuracy": [0.5]}', "line 1: accuracy must be"),
        (b'{"round": 1, "accuracy": 0.5, "label": "\\ud800"}', "half a character"),
        (b'{"a":' * 100_000, "line 1 is no JSON"),
        (b"\xff\xfe\x00", "is not text in UTF-8"),
        (b" " * 500_001, "more than 500 kB"),
        (b"round,accuracy,seed\n" + b"".join(b"1,0.5,%d\n" % n for n in range(61)), "more than 60 labels"),
    ],
)
def test_what_makes_no_sense_gets_a_sentence_and_leaves_nothing(runs_dir: Path, content: bytes, words: str):
    with pytest.raises(InvalidInput, match=words) as refused:
        outside.take(content, "a file")
    assert "\n" not in str(refused.value)
    assert outside.known() == []


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: f"round,accuracy\n{text}".encode("utf-8", "replace"))
)
def test_any_bytes_are_rounds_or_a_sentence(content: bytes):
    try:
        assert all(number >= 0 for line in read(content) for of in line.figures.values() for number, _ in of)
    except InvalidInput as error:
        assert str(error)


def test_they_are_kept_by_name_and_removed_by_their_owner(runs_dir: Path, tmp_path: Path):
    (tmp_path / "their run.csv").write_bytes(LINES)
    first = bring_rounds(tmp_path / "their run.csv")
    mine = outside.take(LINES, "<b>mine</b>\n" * 20, "a" * 16)
    assert [one.id for one in outside.known()] == [mine, first]
    one = outside.get(first)
    assert one and (one.name, one.lines) == ("their run", read(LINES))
    with pytest.raises(NotYours):
        outside.remove(mine, Person("b" * 16))
    outside.remove(mine, Person("a" * 16))
    assert outside.get(mine) is None
    with pytest.raises(InvalidInput, match=r"nowhere\.csv cannot be read"):
        bring_rounds(tmp_path / "nowhere.csv")


def test_a_person_keeps_so_many_and_new_cookies_push_out_their_own(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    """Ten cookies of twenty files closed it for all."""
    monkeypatch.setattr(outside, "EACH", 2)
    hers = [outside.take(LINES, "one", "c" * 16) for _ in range(2)]
    with pytest.raises(InvalidInput, match="2 files of yours are here, as many as one person may have"):
        outside.take(LINES, "one more", "c" * 16)
    monkeypatch.setattr(outside, "ALL", 8)
    first = outside.take(LINES, "first", "a" * 16, "a class")
    crowd = [outside.take(LINES, "many", f"{n:016x}", "there") for n in range(9)]
    new = outside.take(LINES, "new", "b" * 16, "a class")
    assert {one.id for one in outside.known()} == {*hers, first, new, *crowd[-4:]}
    (runs_dir / "theirs.csv").write_bytes(LINES)
    machine = bring_rounds(runs_dir / "theirs.csv")
    with outside.DATABASE.writing() as db:
        db.execute("UPDATE rounds SET lines = 'no JSON'")
    assert {first, new, machine} <= {one.id for one in outside.known()}, "a list reads no rounds"


def test_a_table_of_many_runs_has_a_line_of_each_and_a_gap_where_a_figure_is_none():
    wandb = (
        b'"Step","fedavg - accuracy","fedavg - accuracy__MIN","fedavg - accuracy__MAX","dp - accuracy"\n'
        b'"0","0.1","0.1","0.1","0.2"\n"1","0.5","0.5","0.5",""\n'
    )
    fedavg, dp = read(wandb)
    assert (fedavg.label, fedavg.figures) == ("fedavg", {"accuracy": ((0, 0.1), (1, 0.5))})
    assert (dp.label, dp.figures) == ("dp", {"accuracy": ((0, 0.2),)})
    (line,) = read(b"round,accuracy,loss\n0,0.1,2.3\n1,0.1,nan\n2,0.1,NaN\n")
    assert line.figures["loss"] == ((0, 2.3), (1, None), (2, None))


@pytest.mark.parametrize(
    ("text", "accuracy"),
    [
        ("epoch,accuracy,loss,val_accuracy,val_loss\n0,0.9,1,0.1,2\n1,0.95,1,0.5,2\n", (0, 1)),  # Keras
        ("epoch,step,train_loss,val_acc\n0,9,0.3,\n0,9,,0.1\n1,19,0.2,\n1,19,,0.5\n", (9, 19)),  # Lightning
        ("run_id,key,value,step\na,loss,2,0\na,accuracy,0.1,0\na,accuracy,0.5,1\n", (0, 1)),  # MLflow
        ("Round;Test Accuracy (%)\n0;10,0\n1;50\n", (0, 1)),
        ("Runde\tround\tacc\n1\t1.000\t10,0 %\n2\t2.000\t50 %\n", (1000, 2000)),
        ("round,accuracy,loss\n0,0.1,inf\n1,0.5,-\n", (0, 1)),
        ("round;accuracy;loss\n0;0,1;2,0\n1;0,5;1,2\n", (0, 1)),
        ("sep=\t\nServer Round\tVal Accuracy\tepoch\n0\t10%\t5\n1\t50%\t5\n", (0, 1)),
    ],
)
def test_accuracy_is_that_on_held_out_images_whatever_the_program_calls_it(
    text: str, accuracy: tuple[int, int]
):
    for encoding in ("utf-8", "utf-16"):
        (line,) = read(text.encode(encoding))
        assert line.figures["accuracy"] == ((accuracy[0], 0.1), (accuracy[1], 0.5))
        assert dict(line.figures.get("loss", ())).get(0) in (None, 2)


def test_labels_stay_as_they_are_and_our_own_table_is_read():
    german = read(b"round;accuracy;label\n0;0,1;1.000\n0;0,2;2,5\n")
    assert [line.label for line in german] == ["1.000", "2,5"]
    rounds = [{"run": 0, "label": "=a", "seed": 2**53 - 1, "event": "round", "round": n} for n in range(2)]
    (line,) = read(as_csv([row | {"accuracy": 0.5, "noise_variance": 0.1} for row in rounds]).encode())
    assert (line.label, line.seed) == ("=a", 2**53 - 1)
    assert line.figures == {"accuracy": ((0, 0.5), (1, 0.5)), "noise_variance": ((0, 0.1), (1, 0.1))}
