"""The ledger: its limits, its repair after a crash, its ends; and that no function writes beside it."""

import ast
import base64
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ldp_core.classroom import members, own_digits, sessions
from ldp_core.cli import main
from ldp_core.errors import NotNow
from ldp_core.experiment import parse_draft
from ldp_core.runs import drafts, guesses, jobs, nicknames, own_data, queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.queue.permissions import Person
from ldp_core.runs.record import pilots
from ldp_core.runs.storage import ledger
from ldp_core.runs.storage.ledger import KINDS, Entry
from tests.conftest import ROOT
from tests.runs.in_process import found_in
from tests.runs.processes import at_once
from tests.test_layers import PRODUCT, module_of

TEACHER = Person("t" * 16, teacher=True)
DRAFT = parse_draft({})
TABLE = b"age,bought\n1,no\n2,yes\n3,no\n4,yes\n" * 9
WRITES = {
    *("write_bytes", "write_text", "write_json", "mkdir", "touch", "mkstemp", "symlink_to", "copyfile"),
    *("writing", "changing", "change", "opened", "executescript", "extractall", "save", "savez"),
    *("savez_compressed", "write_table", "TemporaryDirectory"),
}
"""Functions that write files or change a database."""
ENTERS = {
    "ldp_core.classroom.members": {"join"},
    "ldp_core.classroom.sessions": {"open_class"},
    "ldp_core.runs.queue.changes": {"add"},
    "ldp_core.runs.record.drafts": {"new", "share", "update"},
    "ldp_core.runs.record.guesses": {"keep", "skip"},
    "ldp_core.runs.record.nicknames": {"keep"},
    "ldp_core.runs.record.own_data": {"take"},
    "ldp_core.runs.record.pilots": {"ask"},
}
"""Functions that enter what they write."""
ENTERED = {
    "ldp_core.classroom.members": {"erase", "guess", "leave", "let_in", "remove", "rename", "submit_try"},
    "ldp_core.classroom.own_digits": {"send"},  # within its member's bytes
    "ldp_core.classroom.sessions": {"_end", "_set", "lock", "move"},
    "ldp_core.runs.queue.changes": {"cancel", "forget", "requeue", "update"},
    "ldp_core.runs.record.drafts": {"erase", "forget_typed", "keep_ladder", "keep_typed", "undo"},
    "ldp_core.runs.record.guesses": {"erase"},
    "ldp_core.runs.record.nicknames": {"erase"},
    "ldp_core.runs.record.own_data": {"_understand"},
    "ldp_core.runs.record.pilots": {"done", "erase"},
}
"""Functions that change or erase what was entered, within the bytes of its entry."""
RECORDS = {
    "ldp_core.runs.process.training": {"train_job"},
    "ldp_core.runs.record.checkpoints": {"__init__"},
    "ldp_core.runs.record.computations": {"forget", "hold", "note_begun", "note_ends", "sweep"},
    "ldp_core.runs.record.time_left": {"__call__"},
}
"""Functions that write records of entered jobs, which have the quota."""
OF_THE_SERVER = {
    "ldp_core.papers.stored": {"write"},
    "ldp_core.runs.machine.calibration": {"calibrate"},
    "ldp_core.runs.process.start": {"_start"},
    "ldp_core.runs.queue.claiming": {"claim", "reap"},
    "ldp_core.runs.queue.permissions": {"_secret"},
    "ldp_core.runs.storage.database": {"change", "opened", "reading", "writing"},
    "ldp_core.runs.storage.disk_space": {"keep_back"},
    "ldp_core.runs.storage.ledger": {"_entered", "compare", "release", "release_part", "spent", "sweep"},
    "ldp_core.runs.storage.locks_and_heartbeats": {"ask_to_go", "is_held", "taken"},
    "ldp_core.runs.storage.paths": {"runs_dir"},
    "ldp_core.system.json_file": {"write_json"},
    "ldp_core.system.kernel_lock": {"missing"},
}
"""The server's own: queue, locks, heartbeat, log, reserve, speed of the machine, figures of papers."""
ELSEWHERE = {
    "ldp_core.cli": {"_silence"},
    "ldp_core.datasets._downloaded": {"fetch"},
    "ldp_core.datasets._idx": {"unpack"},
    "ldp_core.datasets._uploaded": {"main"},
    "ldp_core.datasets.cifar10": {"read", "unpack"},
    "ldp_core.datasets.covtype": {"unpack"},
    "ldp_core.federated.state": {"_saved"},
    "ldp_core.leakage.coarse_to_fine": {"states"},
    "ldp_core.runs.carry.of_claims": {"write"},
    "ldp_core.runs.carry.ways": {"written"},
    "ldp_core.runs.cluster.connection": {"_unheard"},
    "ldp_core.runs.jobs.tables": {"as_parquet", "write_brought_rounds"},
    "ldp_core.runs.outcomes": {"make"},
    "ldp_core.runs.stored_answer": {"make_answer"},
    "ldp_core.runs.stored_ladder": {"make_ladder"},
    "ldp_core.system.memory": {"be_given_up"},
    "ldp_core.system.private_files": {"read", "write"},
    "ldp_core.system.process_group": {"give_way"},
    "pages.parts.clients.turned": {"_sheet"},
}
"""Functions that write to memory, to the folder of data, or to a file that the operator names."""


def functions(file: Path) -> Iterator[tuple[str, set[str]]]:
    """Name of each function of a file, with the names of what it calls to write."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, {name for one in ast.walk(node) if (name := written_by(one))}


def written_by(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name == "open":
        given = [*node.args, *(key.value for key in node.keywords)]
        texts = [str(one.value) for one in given if isinstance(one, ast.Constant)]
        modes = [text for text in texts if set(text) <= set("rwxabt+") and set(text) & set("wxa+")]
        return name if modes or ast.unparse(node.func) == "os.open" else ""
    handed = isinstance(node.func, ast.Name) and name in (
        "change",
        "opened",
    )  # to this function, or of a page
    of_a_draft = ast.unparse(node.func) in ("workspace.change", "self.change", "w.change")
    return name if name in WRITES and not (handed or of_a_draft) else ""


def test_every_function_that_writes_is_entered_or_the_servers():
    known = dict[str, set[str]]()
    for table in (ENTERS, ENTERED, RECORDS, OF_THE_SERVER, ELSEWHERE):
        for module, names in table.items():
            known[module] = known.get(module, set()) | names
    found = {module_of(file): {name for name, calls in functions(file) if calls} for file in PRODUCT}
    found = {module: names for module, names in found.items() if names}
    assert {one: found.get(one) for one in found | known if found.get(one) != known.get(one)} == {}


def test_functions_that_leave_more_call_the_ledger():
    for module, names in ENTERS.items():
        tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name in names:
                called = ast.unparse(node)
                assert "ledger.enter(" in called or "_enter(" in called, f"{module}.{node.name}"


def entry(number: int, address: str = "school", size: int = 100, **more: object) -> Entry:
    made = Entry("nickname", f"{address} {number}", size, 1.0 + number, None, f"{address} {number}", address)
    return made._replace(**more)  # type: ignore[arg-type]


def ids() -> set[str]:
    return {one.id for one in ledger.standing()}


@pytest.fixture
def small(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind of which ten may be, five of an address, in 2 000 bytes."""
    kind = KINDS["nickname"]._replace(near=5, all=10, makes_room="in all")
    monkeypatch.setitem(KINDS, "nickname", kind)
    monkeypatch.setattr(ledger, "LEAST", 2000)
    monkeypatch.setattr(ledger, "compare", lambda _: None)
    monkeypatch.setenv("EPSILON_QUOTA_GB", "0.000001")


@pytest.mark.usefixtures("small")
def test_full_address_is_refused_and_others_are_not():
    for number in range(5):
        ledger.enter(entry(number))
    with pytest.raises(NotNow, match="from your network"):
        ledger.enter(entry(5))
    ledger.enter(entry(5, "home"))
    assert len(ids()) == 6


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("size", [100, 500])
def test_full_total_costs_the_fullest_address_its_oldest(size: int):
    """By number, and by bytes."""
    ledger.enter(entry(0, "home"))
    for place in ("one network", "other network"):
        for number in range(1, 5 if size == 100 else 3):
            ledger.enter(entry(number + 4 * (place > "one"), place, size if place < "other" else 100))
    for number in range(3 if size == 100 else 2):
        ledger.enter(entry(number, f"newcomer {number}", size))
    left = ids()
    assert {"home 0", "newcomer 0 0", "newcomer 1 1"} < left and "one network 1" not in left
    assert len(left) <= 10 and sum(one.size for one in ledger.standing()) <= 2000


@pytest.mark.usefixtures("small")
def test_what_fits_nowhere_is_refused_and_costs_nobody():
    ledger.enter(entry(0))
    with pytest.raises(NotNow):
        ledger.enter(entry(1, "home", 3000))
    assert ids() == {"school 0"}


@pytest.mark.usefixtures("small")
def test_seconds_of_reading_count_after_deletion(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(KINDS, "nickname", KINDS["nickname"]._replace(seconds=(60.0, 60.0)))
    for number in range(3):
        ledger.enter(entry(number, at=time.time(), seconds=20.0))
        ledger.release("nickname", f"school {number}")
    assert ids() == set()
    with pytest.raises(NotNow, match="60 s"):
        ledger.enter(entry(4, at=time.time(), seconds=1.0))
    ledger.enter(entry(4, "home", at=time.time(), seconds=1.0))


@pytest.mark.usefixtures("small")
def test_entries_at_the_same_time_stay_within_the_limit():
    numbers = iter(range(100))

    def one_more() -> None:
        with suppress(NotNow):
            ledger.enter(entry(next(numbers)))

    at_once(12, one_more)
    assert len(ids()) == 5


def test_crash_between_entry_and_writing_is_mended(runs_dir: Path):
    """And one between erasure and release, and what an earlier version has left."""
    lost, left = "0" * 12, drafts.new(DRAFT, "anna", "school")
    ledger.enter(Entry("draft", lost, 100, time.time() - 2 * ledger.YOUNG_SECONDS, None, "ben", "school"))
    ledger.enter(Entry("draft", "1" * 12, 100, time.time(), None, "ben", "school"))
    ledger.release("draft", left)
    ledger.sweep()
    assert ids() == {left, "1" * 12}, "the last may be just before its writing"
    assert next(one for one in ledger.standing() if one.id == left).size == drafts.lying()[0].size


def test_all_that_visitors_leave_is_entered(runs_dir: Path):
    drafts.new(DRAFT, "anna", "school")
    drafts.share(DRAFT, owner="anna", address="school")
    guesses.keep("anna", DRAFT, 60, "school")
    guesses.skip("anna", "two_volunteers", address="school")
    nicknames.keep("anna", "Anna", "school")
    own_data.take({"mine.csv": TABLE}, "anna", "school")
    queue.add("run", {"draft": DRAFT.as_json()}, owner="anna", address="school")
    assert pilots.ask([DRAFT.base], "anna", "school")
    session = sessions.open_class(TEACHER, "two_volunteers")
    members.join(session, "anna", "Anna", "school")
    before = ledger.standing()
    assert {one.kind for one in before} == {*KINDS}
    assert {one.address for one in before if one.kind != "class"} == {"school"}
    ledger.LEDGER.path.unlink()
    ledger.sweep()
    assert ids() == {one.id for one in before}, "as lies there"


def test_forty_browsers_of_one_address_leave_room_for_others(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(KINDS, "own data", KINDS["own data"]._replace(near=8, all=10))
    mine = own_data.take({"mine.csv": TABLE}, "anna", "school")
    for number in range(8):
        own_data.take({"a.csv": TABLE}, f"bot {number}", "one network")
    with pytest.raises(NotNow, match="from your network"):
        own_data.take({"a.csv": TABLE}, "bot 8", "one network")
    for number in range(4):
        own_data.take({"b.csv": TABLE}, f"pupil {number}", "home")
    assert own_data.mine("anna") == [mine] and own_data.mine("pupil 3") and not own_data.mine("bot 0")


def test_prune_frees_what_visitors_left_beside_runs(runs_dir: Path):
    own_data.take({"mine.csv": TABLE}, "anna", "school")
    identity = drafts.new(DRAFT, "anna", "school")
    done = subprocess.run(
        [sys.executable, "-m", "ldp_core", "prune", "--to", "0"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "own data" in done.stdout and own_data.mine("anna") == []
    assert drafts.load(identity) is None and not ledger.taken()


def test_upload_class_and_job_leave_no_bytes_without_a_server(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    """Stopped between entry and end; after it there is only a command."""
    monkeypatch.setattr(lookup, "ensure_worker", lambda _: None)
    mark, pixels = "Karenina", bytes(range(1, 197)) * 4
    own = own_data.take({f"{mark}.csv": f"age,bought\n1,no\n2,{mark}\n".encode() * 9}, "anna", "school")
    job = jobs.launch("run", Training(parse_draft({"dataset": own.name, "name": mark})), owner="anna")
    session = sessions.open_class(TEACHER, "own_digits")
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
    assert queue.find() == queue.deleted() == [] and not ledger.standing()
