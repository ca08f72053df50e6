"""The inventory: its limits, its repair after a crash, and its ends."""

import base64
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from ldp_core.classroom import members, own_digits, sessions
from ldp_core.cli import main
from ldp_core.errors import NotNow
from ldp_core.experiment import parse_draft
from ldp_core.runs import drafts, guesses, jobs, own_data, queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.queue.permissions import Person
from ldp_core.runs.record import pilots
from ldp_core.runs.storage import inventory
from ldp_core.runs.storage.inventory import KINDS, StoredItem
from tests.conftest import ROOT
from tests.runs.in_process import found_in
from tests.runs.processes import at_once

TEACHER = Person("t" * 16, teacher=True)
DRAFT = parse_draft({})
TABLE = b"age,bought\n1,no\n2,yes\n3,no\n4,yes\n" * 9


def entry(number: int, address: str = "school", size: int = 100, **more: object) -> StoredItem:
    made = StoredItem(
        "pilot", f"{address} {number}", size, 1.0 + number, None, f"{address} {number}", address
    )
    return made._replace(**more)  # type: ignore[arg-type]


def ids() -> set[str]:
    return {one.id for one in inventory.standing()}


@pytest.fixture
def small(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind of which ten may be, five of an address, in 2 000 bytes."""
    kind = KINDS["pilot"]._replace(near=5, all=10, makes_room="in all")
    monkeypatch.setitem(KINDS, "pilot", kind)
    monkeypatch.setattr(inventory, "LEAST", 2000)
    monkeypatch.setattr(inventory, "compare", lambda _: None)
    monkeypatch.setenv("EPSILON_QUOTA_GB", "0.000001")


@pytest.mark.usefixtures("small")
def test_full_address_is_refused_and_others_are_not():
    for number in range(5):
        inventory.enter(entry(number))
    with pytest.raises(NotNow, match="from your network"):
        inventory.enter(entry(5))
    inventory.enter(entry(5, "home"))
    assert len(ids()) == 6


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("size", [100, 500])
def test_full_total_costs_the_fullest_address_its_oldest(size: int):
    """By number, and by bytes."""
    inventory.enter(entry(0, "home"))
    for place in ("one network", "other network"):
        for number in range(1, 5 if size == 100 else 3):
            inventory.enter(entry(number + 4 * (place > "one"), place, size if place < "other" else 100))
    for number in range(3 if size == 100 else 2):
        inventory.enter(entry(number, f"newcomer {number}", size))
    left = ids()
    assert {"home 0", "newcomer 0 0", "newcomer 1 1"} < left and "one network 1" not in left
    assert len(left) <= 10 and sum(one.size for one in inventory.standing()) <= 2000


@pytest.mark.usefixtures("small")
def test_what_fits_nowhere_is_refused_and_costs_nobody():
    inventory.enter(entry(0))
    with pytest.raises(NotNow):
        inventory.enter(entry(1, "home", 3000))
    assert ids() == {"school 0"}


@pytest.mark.usefixtures("small")
def test_seconds_of_reading_count_after_deletion(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(KINDS, "pilot", KINDS["pilot"]._replace(seconds=(60.0, 60.0)))
    for number in range(3):
        inventory.enter(entry(number, at=time.time(), seconds=20.0))
        inventory.release("pilot", f"school {number}")
    assert ids() == set()
    with pytest.raises(NotNow, match="60 s"):
        inventory.enter(entry(4, at=time.time(), seconds=1.0))
    inventory.enter(entry(4, "home", at=time.time(), seconds=1.0))


@pytest.mark.usefixtures("small")
def test_entries_at_the_same_time_stay_within_the_limit():
    numbers = iter(range(100))

    def one_more() -> None:
        with suppress(NotNow):
            inventory.enter(entry(next(numbers)))

    at_once(12, one_more)
    assert len(ids()) == 5


def test_crash_between_entry_and_writing_is_mended(runs_dir: Path):
    """And one between erasure and release, and what an earlier version has left."""
    lost, left = "0" * 12, drafts.new(DRAFT, "anna", "school")
    inventory.enter(
        StoredItem("draft", lost, 100, time.time() - 2 * inventory.YOUNG_SECONDS, None, "ben", "school")
    )
    inventory.enter(StoredItem("draft", "1" * 12, 100, time.time(), None, "ben", "school"))
    inventory.release("draft", left)
    inventory.sweep()
    assert ids() == {left, "1" * 12}, "the last may be just before its writing"
    assert next(one for one in inventory.standing() if one.id == left).size == drafts.lying()[0].size


def test_all_that_visitors_leave_is_entered(runs_dir: Path):
    drafts.new(DRAFT, "anna", "school")
    drafts.share(DRAFT, owner="anna", address="school")
    guesses.keep("anna", DRAFT, 60, "school")
    guesses.skip("anna", "two_volunteers", address="school")
    own_data.take({"mine.csv": TABLE}, "anna", "school")
    queue.add("run", {"draft": DRAFT.as_json()}, owner="anna", address="school")
    assert pilots.ask([DRAFT.base], "anna", "school")
    session = sessions.open_class(TEACHER, "two_volunteers")
    members.join(session, "anna", "Anna", "school")
    before = inventory.standing()
    assert {one.kind for one in before} == {*KINDS}
    assert {one.address for one in before if one.kind != "class"} == {"school"}
    inventory.INVENTORY.path.unlink()
    inventory.sweep()
    assert ids() == {one.id for one in before}, "as lies there"


def test_prune_frees_what_visitors_left_beside_runs(runs_dir: Path):
    own_data.take({"mine.csv": TABLE}, "anna", "school")
    identity = drafts.new(DRAFT, "anna", "school")
    done = subprocess.run(
        [sys.executable, "-m", "ldp_core", "prune", "--to", "0"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "own data" in done.stdout and own_data.mine("anna") == []
    assert drafts.load(identity) is None and not inventory.taken()


def test_upload_class_and_job_leave_no_bytes_without_a_server(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    """Stopped between entry and end; after it there is only a command."""
    monkeypatch.setattr(lookup, "ensure_worker", lambda _: None)
    mark, pixels = "Karenina", bytes(range(1, 197)) * 4
    rows = f"1,no\n2,{mark}\n" * 20
    own = own_data.take({f"{mark}.csv": f"age,bought\n{rows}".encode()}, "anna", "school")
    job = jobs.launch("run", Training(parse_draft({"dataset": own.name, "name": mark})), owner="anna")
    session = sessions.open_class(TEACHER, "own_digits")
    sessions.move(session, TEACHER, "ask")
    members.join(session, "digest-of-anna", mark, "school")
    own_digits.send(session, "digest-of-anna", 3, base64.b64encode(pixels).decode(), 1.0, 0.1)
    room = own_digits.train(session, {"owner": TEACHER.owner, "address": "school"})
    for one in (job, room):
        queue.cancel(one)
        jobs.relabel(one, mark, mark)
    (kept,) = runs_dir.glob("own/*/*.table")
    sought = (mark.encode(), pixels, b"digest-of-anna", session.code.encode(), kept.read_bytes()[-300:])
    assert all(found_in(runs_dir, one) for one in sought)
    later = time.time() + 25 * 3600
    monkeypatch.setattr(time, "time", lambda: later)
    assert main(["runs"]) == 0
    assert {one: found_in(runs_dir, one) for one in sought} == {one: [] for one in sought}
    assert queue.find() == queue.deleted() == [] and not inventory.standing()
