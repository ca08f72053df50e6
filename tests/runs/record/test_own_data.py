"""What is private, data or a job, is for its owner alone, and after deletion nowhere on the disk."""

import io
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from ldp_core import datasets
from ldp_core.classroom import members, sessions
from ldp_core.classroom.store import CLASSES
from ldp_core.datasets import Card, _brought
from ldp_core.errors import InvalidInput, NotNow, NotYours, UnknownJob
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, kinds, own_data, queue
from ldp_core.runs.jobs.listing import page
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.permissions import Person, person, room_of
from ldp_core.runs.storage import inventory
from ldp_core.system import bounded
from tests.conftest import ROOT
from tests.extent import in_gate
from tests.runs.carry.exports import zipped as packed
from tests.runs.in_process import bodies, found_in, settled, trained

pytestmark = pytest.mark.usefixtures("no_worker")
ANNA, BEN = str(person("a" * 32).owner), str(person("b" * 32).owner)
MARK = "marker7of8hers"
ROWS = [f"shop{i % 4},{i % 37},{['no', 'yes'][i % 37 > 18]},{MARK}{i % 3}" for i in range(120)]
TABLE = "\n".join(["client,age,bought,colour", *ROWS]).encode()


def picture(colour: str, kind: str = "PNG") -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(made, kind)
    return made.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    return packed(files).getvalue()


def train(name: str, owner: str | None) -> Job:
    draft = parse_draft({"dataset": name, "rounds": 2, "name": MARK, "attack": None})
    return settled(jobs.launch("run", Training(draft), owner=owner))


def test_own_table_is_private_and_fully_deleted(runs_dir: Path):
    own = own_data.take({f"{MARK}.csv": TABLE}, ANNA)
    assert (own.title, [*own_data.labels(ANNA)], own_data.mine(BEN)) == (MARK, [own.name], [])
    assert own.name not in datasets.names()
    job = train(own.name, ANNA)
    assert job.room == own.name.partition(":")[2].partition(".")[0]
    assert jobs.recent() == []
    for other in (BEN, None):
        with pytest.raises(NotYours, match="another visitor's own"):
            train(own.name, other)
        with pytest.raises(NotYours, match="not yours"):
            own_data.remove(own.name, other)
    waits = jobs.launch("run", Training(parse_draft({"dataset": own.name})), owner=ANNA)
    assert len(found_in(runs_dir, MARK.encode())) >= 2
    own_data.remove(own.name, ANNA)
    own_data.sweep()
    assert found_in(runs_dir, MARK.encode()) == []
    assert queue.find() == []
    with pytest.raises(UnknownJob):
        queue.get(waits)
    assert not [*(runs_dir / "own").iterdir()]


def test_own_data_expire_and_can_be_switched_off(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    own = own_data.take({"mine.csv": TABLE}, ANNA)
    train(own.name, ANNA)
    assert abs(own.until - time.time() - 24 * 3600) < 60
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + 23.9 * 3600)
    own_data.sweep()
    assert own_data.mine(ANNA)
    monkeypatch.setattr(time, "time", lambda: began + 24.1 * 3600)
    own_data.sweep()
    assert own_data.mine(ANNA) == []
    assert found_in(runs_dir, MARK.encode()) == []
    monkeypatch.setenv("EPSILON_OWN_DATA_HOURS", "0")
    with pytest.raises(InvalidInput, match="switched that off"):
        own_data.take({"mine.csv": TABLE}, ANNA)
    assert found_in(runs_dir, MARK.encode()) == []


SHORT = f"{1 / 3600}"
"""Hours of one second."""


def test_own_data_stay_as_long_as_promised_whatever_a_shell_is_set_to(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    own = own_data.take({"mine.csv": TABLE}, ANNA)
    for hours in ("0", SHORT):
        time.sleep(1.1)
        monkeypatch.setenv("EPSILON_OWN_DATA_HOURS", hours)
        own_data.sweep()
        assert own_data.mine(ANNA) == [own]


def test_command_deletes_own_data_and_classes_whose_time_is_over(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    """Without a server, and in a shell without its settings."""
    monkeypatch.setenv("EPSILON_OWN_DATA_HOURS", SHORT)
    own_data.take({f"{MARK}.csv": TABLE}, ANNA)
    monkeypatch.delenv("EPSILON_OWN_DATA_HOURS")
    members.join(sessions.open_class(Person("t" * 16, teacher=True), "two_volunteers"), ANNA, "Karenina")
    CLASSES.change("UPDATE class SET opened = opened - ?", 3600 * sessions.HOURS)
    assert found_in(runs_dir, MARK.encode()) and found_in(runs_dir, b"Karenina")
    time.sleep(1)
    done = subprocess.run([sys.executable, "-m", "ldp_core", "runs"], cwd=ROOT, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert found_in(runs_dir, MARK.encode()) == found_in(runs_dir, b"Karenina") == []


def test_owners_card_overrides_the_guess(runs_dir: Path):
    own = own_data.take({"mine.csv": TABLE}, ANNA)
    assert datasets.get(own.name).learnt
    scales: dict[str, Any] = {"age": (0, 40), "colour": (f"{MARK}0", f"{MARK}1")}
    own_data.describe(own.name, ANNA, Card(target="bought", client="", scales=scales, leave_out=("client",)))
    found = datasets.get(own.name)
    assert (found.learnt, found.clients, found.shape) == ("", 0, (1, 3))
    assert own_data.look(own.name, ANNA).seen.card.says_client
    own_data.describe(own.name, ANNA, Card(target="age", client="client"))
    assert own_data.look(own.name, ANNA).seen.rows[0] == ["client", "age", "bought", "colour"]
    with pytest.raises(InvalidInput, match="least and its most"):
        Card.checked({"scales": {"age": [3, 3]}})
    assert own_data.look(own.name, ANNA).seen.card.target == "age", "a card that will not do changes nothing"


KINDS = {f"set/{kind}/{MARK}{i}.png": picture(kind) for kind in ("red", "blue") for i in range(6)}


@pytest.mark.parametrize(
    "files",
    [
        {"pets.zip": zipped({**KINDS, "__MACOSX/set/red/._0.png": b"x", "set/readme.txt": b"x"})},
        {f"{name.split('/')[1]}.{i}.png": data for i, (name, data) in enumerate(KINDS.items())},
    ],
    ids=["a ZIP", "files"],
)
def test_pictures_are_a_data_set_of_their_owners(runs_dir: Path, files: dict[str, bytes]):
    own = own_data.take(files, ANNA)
    found = datasets.get(own.name)
    assert (found.class_names, found.train_size + found.test_size) == (("blue", "red"), 12)
    data = found.load(Path("nowhere"))
    reds = data.train_x[data.train_y == 1]
    assert (reds[:, 0] == 1).all() and (reds[:, 2] == 0).all()
    kept = next(runs_dir.glob("own/*/*.images")).read_bytes()[200:300]
    assert found_in(runs_dir, kept) and not found_in(runs_dir, b"PNG")
    own_data.remove(own.name, ANNA)
    assert found_in(runs_dir, kept) == []


BAD = {
    "formulas": ({"a.csv": TABLE + b"\n=1+1,2,yes,x"}, "formula in line 122"),
    "too much": ({"a.csv": b"a,b\n" * 1_400_000}, "at most 5 MB"),
    "a bomb": ({"a.zip": zipped({"a/b.png": bytes(60_000_000)})}, "unpacks to more than"),
    "packed otherwise": ({"a.zip": packed({"a/b.png": picture("red")}, ZIP_BZIP2).getvalue()}, "rare way"),
    "no pictures": ({"a.zip": zipped({"a/b.txt": b"x"})}, "holds no PNG"),
    "damaged": ({"a.zip": zipped({"a/b.png": b"\x89PNG\r\n\x1a\n"})}, "cannot be read as a PNG"),
    "one kind": ({"cat1.png": picture("red"), "cat2.png": picture("red")}, "kinds are needed"),
    "no kind": ({"1.png": picture("red")}, "does not say what it shows"),
    "outside": ({"a.zip": zipped({"../x.png": picture("red")})}, "holds no PNG"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_refused_upload_leaves_no_file(runs_dir: Path, case: str):
    files, why = BAD[case]
    with pytest.raises(InvalidInput, match=why):
        own_data.take(files, ANNA)
    left = {path.name for path in runs_dir.rglob("*") if path.is_file()}
    assert left <= {"secret", "ledger.sqlite"} and not inventory.standing()
    assert not list(runs_dir.parent.glob("*.png"))


def test_a_visitor_has_five_at_most(runs_dir: Path):
    for i in range(inventory.KINDS["own data"].each):
        own_data.take({f"{i}.csv": TABLE}, ANNA)
    with pytest.raises(NotNow, match="delete one"):
        own_data.take({"one.csv": TABLE}, ANNA)
    own_data.take({"one.csv": TABLE}, BEN)


@settings(max_examples=in_gate(40, 200))
@given(cuts=st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=4)), min_size=1, max_size=6))
def test_damaged_zips_are_refused_in_a_sentence(cuts: list[tuple[int, bytes]]):
    data = bytearray(zipped(KINDS))
    for at, put in cuts:
        data[at % len(data) : at % len(data) + len(put)] = put
    try:
        assert _brought.main({}, {"a.zip": bytes(data)})[1].startswith(b"PK")
    except InvalidInput as error:
        assert len(str(error)) < 400


def empty(width: int, height: int) -> bytes:
    """A PNG that unpacks to far more than it holds."""
    made = io.BytesIO()
    Image.new("L", (width, height)).save(made, "PNG")
    return made.getvalue()


SLOW = empty(4400, 4400)
WIDE = "\n".join(["target,a,b", *(f"{i % 2},x{i % 100},y{i % 99}" for i in range(60_000))]).encode()
BEYOND = {
    "rows": ({"a.csv": b"a,b\n" + b"1,0\n2,1\n" * 100_001}, "200"),
    "numbers": ({"a.csv": WIDE}, "numbers; at most"),
    "memory": ({"cat1.png": empty(7000, 7100), "dog1.png": empty(7000, 7100)}, "more memory"),
    "cpu": ({"a.zip": zipped({f"{i % 2}a/{i}.png": SLOW for i in range(40)})}, "10 s"),
}


@pytest.mark.parametrize("case", BEYOND)
def test_upload_beyond_a_limit_is_refused(runs_dir: Path, case: str, monkeypatch: pytest.MonkeyPatch):
    files, why = BEYOND[case]
    if case == "cpu":  # ten seconds in the product
        monkeypatch.setattr(bounded, "answer", partial(bounded.answer, seconds=3))
    assert sum(map(len, files.values())) < own_data.MOST_BYTES
    with pytest.raises(InvalidInput, match=why):
        own_data.take(files, ANNA, "home")
    assert not (own_data.mine(ANNA) or inventory.standing() or found_in(runs_dir / "own", b""))
    (spent,) = inventory.INVENTORY.rows("SELECT seconds FROM entry WHERE gone AND kind = 'own data'")
    assert spent[0] > 0, "it still counts for an hour"


def test_own_server_process_parses_no_upload(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    for place in (f"{_brought.__name__}.main", "csv.reader", "PIL.Image.open"):
        monkeypatch.setattr(place, lambda *_, **__: pytest.fail("parsed here"))
    own = own_data.take({"mine.csv": TABLE}, ANNA)
    own_data.describe(own.name, ANNA, Card(target="colour", client=""))
    assert datasets.get(own.name).class_names == tuple(f"{MARK}{i}" for i in range(3))
    assert datasets.get(own_data.take({"a.zip": zipped(KINDS)}, ANNA).name).train_size == 10


def test_upload_of_a_killed_server_is_swept(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    def killed(*_: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patched, pytest.raises(SystemExit):
        patched.setattr(own_data, "_understand", killed)
        own_data.take({f"{MARK}.csv": TABLE}, ANNA)
    own_data.sweep()
    assert found_in(runs_dir, MARK.encode()) and own_data.mine(ANNA) == []
    began = time.time()
    monkeypatch.setattr(time, "time", lambda: began + own_data.YOUNG_SECONDS + 1)
    own_data.sweep()
    assert not (found_in(runs_dir, MARK.encode()) or inventory.standing())


NAME = "marker of private data"
SWEPT = {"base": {"rounds": 1, "name": NAME, "attack": None}, "grid": {"clients.epsilon": [1, 2]}}
DRAFT = parse_draft({"rounds": 2, "name": NAME, "attack": None})


def private(kind: str, asked: Any) -> str:
    read = kinds.get(kind).read(asked, {}) if kind == "sweep" else asked
    return settled(jobs.launch(kind, read, owner=ANNA, room=room_of(ANNA))).id


@pytest.mark.parametrize(("kind", "asked"), [("run", Training(DRAFT)), ("sweep", SWEPT)])
def test_private_job_is_hidden_and_deleted_at_once(runs_dir: Path, kind: str, asked: Any):
    identity = private(kind, asked)
    job = queue.get(identity)
    assert not jobs.recent() and not page(1, 50).lines and not page(1, 50, BEN).lines
    assert [line.job.id for line in page(1, 50, ANNA).lines] == [identity]
    assert jobs.look(identity, Person(ANNA)).id == identity
    with pytest.raises(UnknownJob):
        jobs.look(identity, Person(BEN))
    theirs = trained(DRAFT if kind == "run" else SWEPT, kind)
    assert [one.id for one in jobs.recent(owner=ANNA)] == [identity]
    assert not set(theirs.keys) & set(job.keys)
    assert not any(one.get("known") for one in bodies(theirs)), "no cell was taken over"
    jobs.delete(theirs.id, for_good=True)
    again = private(kind, asked)
    assert queue.get(again).keys == job.keys, "for its owner it is known"
    assert found_in(runs_dir, NAME.encode())
    jobs.delete(identity, Person(ANNA))
    assert bodies(queue.get(again)), "as long as one of the owner's jobs names it"
    jobs.delete(again, Person(ANNA))
    assert jobs.deleted(Person(ANNA)) == []
    assert found_in(runs_dir, NAME.encode()) == found_in(runs_dir, job.room.encode()) == []
    assert [*(runs_dir / "computed").iterdir()] == []


def test_private_job_reuses_no_public_record():
    trained(DRAFT)
    assert jobs.look(jobs.launch("run", Training(DRAFT), owner=ANNA, room=room_of(ANNA))).status == "queued"
