"""What comes from outside is data: an experiment and typed events, whatever else a stranger has put there.

Faults 1, 2, 3, 5, 7 and 8 of a day of trying; 11 has test_foreign_events.py. Each cost everybody.
"""

import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_LZMA

import pytest

from ldp_core.errors import NotNow, UnknownJob
from ldp_core.experiment import parse_draft
from ldp_core.runs import carry, jobs, kinds, queue
from ldp_core.runs.carry import zip_import
from ldp_core.runs.jobs.archive import FORMAT
from ldp_core.runs.queue.permissions import Person
from ldp_core.runs.record import computations, quota
from ldp_core.runs.record.computations import database
from tests.conftest import ROOT
from tests.measured import megabytes
from tests.runs.carry import foreign
from tests.runs.carry.foreign import Files, edited, events_in, files_of, with_events, with_job, zipped
from tests.runs.record.test_deletion import record

pytestmark = pytest.mark.usefixtures("runs_dir")
KINDS = kinds.names()


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_program_tells_comes_back_as_it_was(kind: str):
    files = files_of(kind)
    job = queue.get(carry.import_zip(zipped(files)))
    assert job.status == "completed"
    about = json.loads(files["job.json"])
    assert (job.kind, job.request) == (about["kind"], about["request"])
    again = Path(os.environ["EPSILON_RUNS_DIR"]) / "again.zip"
    carry.written(job.id, again)
    assert events_in(foreign.unzipped(again.read_bytes())) == events_in(files)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda files: with_job(files, format=FORMAT + 1), "newer version of Epsilon Studio"),
        (lambda files: {n: c for n, c in files.items() if n != "job.json"}, "has no job.json"),
        (lambda files: with_job(files, kind="shell"), "cannot be done by this version"),
        (lambda files: with_job(files, kind=["run"]), "cannot be done by this version|makes no sense"),
        (lambda files: with_job(files, request={"draft": {"base": {"rounds": -1}}}), "cannot be done"),
        (lambda files: with_job(files, request=[]), "makes no sense"),
        (lambda files: with_job(files, more=1), "says “more”, which no export does"),
        (lambda files: with_job(files, events_sha256=None), "makes no sense"),
        (lambda files: files | {"events.jsonl": files["events.jsonl"].replace(b"0.", b"0.9", 1)}, "edited"),
        (lambda files: with_events(files, files["events.jsonl"][:-40]), "makes no sense"),
        (lambda files: with_events(files, b"[" * 100_000), "makes no sense"),
        (lambda files: with_events(files, b'{"a":' * 60_000), "makes no sense"),
        (lambda files: files | {"events.jsonl": b"0" * 65_000_000}, "unpacks to 65 MB, and 64 MB is the"),
    ],
)
def test_what_is_no_export_gets_a_sentence_and_leaves_nothing(edit: Callable[[Files], Files], words: str):
    foreign.refused(edit(files_of()), words)


def test_what_else_is_in_it_is_not_read(runs_dir: Path):
    more = {"../../evil.py": b"x", "/etc/passwd": b"x", "__MACOSX/": b"", "rounds.csv": b"no table"}
    keys = queue.get(carry.import_zip(zipped(files_of() | more))).keys
    assert {*(runs_dir / "computed").iterdir()} == {*map(database, keys)}
    assert not [*runs_dir.parent.rglob("evil*")]


# 1: what it costs

BRACES = b"{}," * 16_000_000
"""48 MB that are 1.2 GB as objects of Python's, and 48 kB in a ZIP."""
BOMB = b'{"run":0,"at":0,"event":"end","a":[' + BRACES + b"{}]}\n"


def with_a_directory(content: bytes, entries: int) -> bytes:
    """A ZIP that lists one file so many times over."""
    size, start = struct.unpack("<2L", content[-10:-2])
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, size * entries, start, 0)
    return content[:start] + content[start : start + size] * entries + end


SMALL = b'{"run":0,"at":0,"event":"round","a":[' + b'{"b":1},' * 99_000 + b"{}]}\n"
"""An event that is no larger than the largest that are read."""
BOMBS: dict[str, Callable[[Files], bytes]] = {
    "event": lambda files: zipped(with_events(files, files["events.jsonl"] + BOMB)).getvalue(),
    "job": lambda files: zipped(files | {"job.json": b'{"a":[' + BRACES + b"{}]}"}).getvalue(),
    "experiments": lambda files: zipped(files | {"experiments.json": b"[" + BRACES + b"{}]"}).getvalue(),
    "events": lambda files: zipped(with_events(files, files["events.jsonl"] + SMALL * 40)).getvalue(),
    "many": lambda files: zipped(with_events(files, b'{"run":0,"at":0,"event":"x"}\n' * 10**6)).getvalue(),
    "directory": lambda files: with_a_directory(zipped({"a": b""}).getvalue(), 60_000),
    "packed otherwise": lambda files: zipped(files, ZIP_LZMA).getvalue(),
}


def long_record(rounds: int) -> Files:
    """Of one run, as if so many rounds had been trained."""
    files = files_of()
    draft = parse_draft({"rounds": rounds, "attack": None, "model": "mlp", "clients": {"count": 3}})
    start, *rest = [one for one in events_in(files) if one["run"] == 0]
    start |= {"key": draft.base.key, "targets": 0, "spies": [], "mean_image": None}
    one, end = (next(body for body in rest if body["event"] == kind) for kind in ("round", "end"))
    rounds_done = [one | {"round": n} for n in range(1, rounds + 1)]
    recorded = [start, *rounds_done, end | {"round": rounds, "measured": []}]
    return edited(with_job(files, request={"draft": draft.as_json()}), lambda _: recorded)


LISTS = """
from ldp_core.runs.jobs.finding import Wanted, lines
from ldp_core.runs.jobs.listing import describe, listed
def act():
    assert [one.state for one in listed(6)] == ["completed", "completed"]
    assert all(line.finals for line in lines(Wanted()))
"""
ACT = """
from pathlib import Path
from ldp_core.errors import StudioError
from ldp_core.runs import carry, queue
from ldp_core.runs.carry import zip_import
carry.import_zip(Path(sys.argv[1]))  # whatever is loaded first
def act():
    try:
        return carry.import_zip(Path(sys.argv[2]), most=64_000_000)
    except StudioError as error:
        return str(error)
"""


@pytest.mark.parametrize("what", BOMBS)
def test_a_bomb_costs_no_more_than_to_keep_it(what: str, tmp_path: Path):
    """48 MB cost 1.5 GB, and stood still for seconds."""
    (tmp_path / "sound.zip").write_bytes(foreign.export_of("run"))
    (tmp_path / "bomb.zip").write_bytes(BOMBS[what](files_of()))
    assert megabytes(ACT, str(tmp_path / "sound.zip"), str(tmp_path / "bomb.zip")) < 30


def test_a_large_file_that_is_taken_costs_at_most_three_times_its_size_and_no_list_anything(tmp_path: Path):
    files = long_record(10_000)
    size = sum(map(len, files.values())) / 1e6
    (tmp_path / "sound.zip").write_bytes(foreign.export_of("run"))
    (tmp_path / "large.zip").write_bytes(zipped(files).getvalue())
    assert megabytes(ACT, str(tmp_path / "sound.zip"), str(tmp_path / "large.zip")) < 3 * size
    assert len(queue.find()) == 2
    assert megabytes(LISTS) < 20


# 2: what was not launched here does not go on here


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("status", "events"), [("interrupted", 0), ("completed", -1)])
def test_its_state_is_what_its_events_say_and_final_here(kind: str, status: str, events: int):
    """Or one press would take up what `submit` refuses, such as a training of 191 years."""
    files = edited(with_job(files_of(kind), status=status, message="x" * 9_000), lambda one: one[:events])
    identity = carry.import_zip(zipped(files), "me")
    job = queue.get(identity)
    assert (job.status, job.message) == ("cancelled", "")
    with pytest.raises(NotNow, match="brought here as a file, so it cannot go on"):
        jobs.resume(identity, Person("me"))
    assert not queue.get(identity).live


# 3: its place in the quota


def is_there(identity: str) -> bool:
    keys = queue.get(identity).keys
    return bool(keys) and all(database(key).exists() for key in keys)


def test_a_file_takes_the_place_of_nobodys_run(monkeypatch: pytest.MonkeyPatch):
    """Eleven small uploads removed everybody's runs."""
    theirs = [record("completed", 400_000) for _ in range(3)]
    monkeypatch.setenv("EPSILON_QUOTA_GB", str((quota.taken() + 1_000_000) / 1e9))
    brought = list[str]()
    with pytest.raises(NotNow, match="a file displaces no other run"):
        for number in range(20):
            brought.append(carry.import_zip(zipped(files_of()), f"visitor {number}", f"address {number}"))
    assert len(brought) > 1 and all(map(is_there, theirs))
    newest = record("completed", 400_000)
    quota.prune()
    assert not is_there(brought[0]), "what came as a file goes first, though it is younger"
    assert all(map(is_there, [*theirs, newest]))


def test_a_person_and_an_address_have_a_share(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(zip_import, "EACH", (2, 1.0))
    monkeypatch.setattr(zip_import, "NEAR", (3, 1.0))
    for owner in ("a", "a", "b"):
        carry.import_zip(zipped(files_of("claim")), owner, "there")
    with pytest.raises(NotNow, match=r"you have 2 runs of .* brought as files, and 2 of"):
        carry.import_zip(zipped(files_of("claim")), "a", "elsewhere")
    with pytest.raises(NotNow, match=r"your network has 3 runs of .* delete one before the next"):
        carry.import_zip(zipped(files_of("claim")), "c", "there")
    carry.import_zip(zipped(files_of("claim")))  # at the machine itself
    monkeypatch.setattr(zip_import, "EACH", (9, 1e-9))
    with pytest.raises(NotNow, match=r"you have 1 runs of 0.0 MB .* of 0 MB are the most"):
        carry.import_zip(zipped(files_of("claim")), "b", "elsewhere")


# 5: what stands beside the draft


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_is_kept_in_our_own_words_alone(kind: str):
    files = files_of(kind)
    request = json.loads(files["job.json"])["request"]
    foreign.refused(
        with_job(files, request=request | {"more": "x" * 1_000_000}), "“more” is nothing that such a job"
    )
    part = "ladder" if kind == "attack" else next(iter(request))
    foreign.refused(with_job(files, request=request | {part: request[part] | {"more": 1}}), "cannot be done")


# 7: what is left of one that was killed

KILLED = """
import os, signal, sys
from pathlib import Path
from ldp_core.runs import carry, queue
queue.arrive = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
carry.import_zip(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("swept", [quota.prune, lambda: carry.import_zip(zipped(files_of()))])
def test_one_that_was_killed_is_swept_away(swept: Callable[[], object], tmp_path: Path, runs_dir: Path):
    (tmp_path / "sound.zip").write_bytes(foreign.export_of("run"))
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "sound.zip"], cwd=ROOT, check=False)
    left = [*(runs_dir / "computed").glob("*.sqlite")]
    assert len(left) == 2
    with computations.hold(left[0].stem) or pytest.fail("another process holds the lock"):
        quota.prune()
        assert left[0].exists(), "somebody brings it here at this moment"
    swept()
    assert not left[0].exists()


# 8: its id


def test_a_file_does_not_choose_its_id():
    """Who took the id of what somebody had just deleted kept them from having it back."""
    hers = carry.import_zip(zipped(files_of()), "her")
    files = with_job(files_of(), id=hers)
    jobs.delete(hers, Person("her"))
    his = carry.import_zip(zipped(files), "him")
    assert his != hers
    with pytest.raises(UnknownJob):
        queue.get(hers)
    jobs.undo_delete(hers, Person("her"))
    assert carry.import_zip(zipped(files)) not in (hers, his)
