"""Tables and pictures that visitors upload, visible to the visitor alone and deleted after a stated time: in
`own/ROOM` below the folder of runs, as data sets `table:ROOM.ID` and `images:ROOM.ID`. Jobs that train on
them are private to the same room.
"""

import json
import re
import secrets
import shutil
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ldp_core import datasets
from ldp_core.datasets import _pictures, _table
from ldp_core.errors import DataUnavailable, InvalidInput, NotYours, StorageFailed, on_one_line, shown
from ldp_core.runs import queue
from ldp_core.runs.queue.permissions import room_of
from ldp_core.runs.record import deletion
from ldp_core.runs.storage import ledger
from ldp_core.runs.storage.ledger import Entry
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.settings import OWN_DATA_HOURS

NAMED = re.compile(r"(?:table|images):([0-9a-f]{16})\.([0-9a-f]{8})")
MOST_BYTES = 5 * 2**20
MOST_TITLE = 40
_one_at_a_time = threading.Lock()
ENDINGS = (*_table.SUFFIXES, ".zip", *_pictures.SUFFIXES)


class Own(NamedTuple):
    """A data set: its name, that of the uploaded file, and its time of deletion in seconds since 1970."""

    name: str
    title: str
    until: float

    @property
    def table(self) -> bool:
        return self.name.startswith(_table.PREFIX)


def hours() -> float:
    """Hours that uploaded data are stored; 0 if this server accepts no uploads."""
    return OWN_DATA_HOURS.value()


def take(files: Mapping[str, bytes], owner: str, address: str | None = None) -> Own:
    """Store an uploaded table, ZIP or pictures by file name, all or none; else InvalidInput. One at a time:
    a table of 13 kB of Parquet may take seconds of all visitors' server.
    """
    with _one_at_a_time:
        return _taken(files, owner, address)


def _taken(files: Mapping[str, bytes], owner: str, address: str | None) -> Own:
    if not hours():
        raise InvalidInput("this server takes no data of its visitors: its operator has switched that off")
    names = [*files]
    if len(names) > 1 and any(name.lower().endswith(_table.SUFFIXES) for name in names):
        raise InvalidInput(
            "several files at once, one of which is a table; drop one table, or pictures alone"
        )
    size = sum(map(len, files.values()))
    if size > MOST_BYTES:
        raise InvalidInput(f"these files have {size / 2**20:.1f} MB; at most {MOST_BYTES >> 20} MB are taken")
    sweep()
    room, identity = _root() / room_of(owner), secrets.token_hex(4)
    until = time.time() + 3600 * hours()
    entered = f"{room.name}.{identity}"
    ledger.enter(Entry("own data", entered, size, time.time(), until, owner, address))
    title = on_one_line(Path(names[0]).stem)[:MOST_TITLE] or "data"
    ending = Path(names[0]).suffix.lower()
    try:
        room.mkdir(parents=True, exist_ok=True, mode=0o700)
        # first: what has a title is deleted in time, whatever becomes of this process
        (room / f"{identity}.title").write_text(f"{title}\n{until}", encoding="utf-8")
        if ending in _table.SUFFIXES:
            (file := room / f"{identity}{ending}").write_bytes(files[names[0]])
            _table.refuse_unreadable(_table.read(file))
        else:
            _pictures.keep(room / identity, files)
            datasets.get(f"images:{room.name}.{identity}")
    except (InvalidInput, DataUnavailable, OSError) as error:
        _unlink(room, identity)
        if isinstance(error, OSError):
            raise StorageFailed(f"the folder of runs cannot be written to ({error.strerror})") from None
        raise InvalidInput(f"{shown(names[0])}: {str(error).replace(identity, title)}") from None
    return next(one for one in mine(owner) if one.name.endswith(identity))


def mine(owner: str | None) -> list[Own]:
    found = []
    for title in _titles(room_of(owner)) if owner else ():
        room, identity = title.parent, title.stem
        kind = "images" if (room / identity).is_dir() else "table"
        with suppress(FileNotFoundError):  # its time is just over
            found.append(Own(f"{kind}:{room.name}.{identity}", *_titled(title)))
    return sorted(found, key=lambda one: -one.until)


def labels(owner: str | None) -> dict[str, str]:
    """Label by name, for the valid data sets that a visitor has uploaded."""
    found = {}
    for one in mine(owner):
        with suppress(DataUnavailable, KeyError):
            found[one.name] = datasets.get(one.name).label
    return found


def headings(name: str, owner: str | None) -> tuple[str, ...]:
    room, identity = _own(name, owner)
    file = next(file for end in _table.SUFFIXES if (file := room / f"{identity}{end}").is_file())
    return _table.read(file).headings


def card(name: str, owner: str | None) -> _table.Card:
    room, identity = _own(name, owner)
    described = _table.card_of(room / f"{identity}.json")
    return _table.Card.of(described) if described else _table.Card()


def describe(name: str, owner: str | None, said: _table.Card) -> None:
    """Store a visitor's description of a table; InvalidInput for one that does not fit."""
    room, identity = _own(name, owner)
    text = said.as_json()
    _table.Card.of(text)
    (room / f"{identity}.json").write_bytes(text)


def remove(name: str, owner: str | None) -> None:
    """Delete a visitor's data set and everything computed from it."""
    _unlink(*_own(name, owner))
    sweep()


def room_for(request: Any, owner: str | None) -> str:
    """Private room of the data set in a request, "" without one; NotYours for another visitor's."""
    rooms = {room for room, _ in NAMED.findall(json.dumps(request))}
    if rooms and (owner is None or rooms != {room_of(owner)}):
        raise NotYours("these data are another visitor's own, and only theirs to train on")
    return rooms.pop() if rooms else ""


def sweep() -> None:
    """Delete data sets whose time is over, and jobs whose uploaded data are gone."""
    now = time.time()
    for title in _titles("*"):
        with suppress(FileNotFoundError):  # another thread was quicker
            if not title.stat().st_mtime <= now <= _titled(title)[1]:
                _unlink(title.parent, title.stem)
    for job in queue.find("room != '' AND instr(request, room)", most=10_000) if _root().is_dir() else ():
        gone = {one for one in NAMED.findall(job.text) if not (_root() / one[0] / f"{one[1]}.title").exists()}
        if gone and job.live:  # it is gone once it has stopped
            queue.cancel(job.id)
        elif gone:
            queue.update(job.id, pinned=False)
            deletion.forget(job)


def lying() -> list[Entry]:
    """Data sets as the ledger has them."""
    found = list[Entry]()
    for title in _titles("*"):
        with suppress(FileNotFoundError):
            room, identity = title.parent, title.stem
            files = [*room.glob(f"{identity}.*"), *(room / identity).rglob("*")]
            size = sum(file.stat().st_size for file in files if file.is_file())
            name = f"{room.name}.{identity}"
            found.append(Entry("own data", name, size, title.stat().st_mtime, _titled(title)[1]))
    return found


def erase(identity: str) -> None:
    """Delete a data set, and everything computed from it."""
    room, _, name = identity.partition(".")
    _unlink(_root() / room, name)
    sweep()


def _own(name: str, owner: str | None) -> tuple[Path, str]:
    """Room and id of a visitor's data set; NotYours if it is another visitor's, or was deleted."""
    found = NAMED.fullmatch(name)
    if owner is None or found is None or found[1] != room_of(owner):
        raise NotYours("these data are not yours, or not here any more")
    return _root() / found[1], found[2]


def _root() -> Path:
    return runs_dir() / "own"


def _titles(room: str) -> list[Path]:
    return [*_root().glob(f"{room}/*.title")]


def _titled(file: Path) -> tuple[str, float]:
    """Title and end of a data set. The end is the uploading server's, whatever this process is set to; one
    that an earlier version has stored, or that is just being written, has none.
    """
    title, _, until = file.read_text(encoding="utf-8", errors="replace").partition("\n")
    with suppress(ValueError):
        return title, float(until)
    return title, file.stat().st_mtime + 3600 * hours()


def _unlink(room: Path, identity: str) -> None:
    shutil.rmtree(room / identity, ignore_errors=True)
    for file in room.glob(f"{identity}.*"):
        file.unlink(missing_ok=True)
    with suppress(OSError):  # others are left in the room
        room.rmdir()
    datasets.registry.look_anew()
    ledger.release("own data", f"{room.name}.{identity}")
