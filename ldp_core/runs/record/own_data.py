"""Tables and pictures that visitors upload, visible to the visitor alone and deleted after a stated time: in
`own/ROOM` below the folder of runs, as data sets `table:ROOM.ID` and `images:ROOM.ID`. What is kept is what a
bounded process makes of the files. Jobs that train on them are private to the same room.
"""

import json
import secrets
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ldp_core import datasets
from ldp_core.datasets import Card, Look, _brought, _pictures
from ldp_core.datasets._brought import NAMED as NAMED
from ldp_core.errors import InvalidInput, NotYours, StorageFailed, on_one_line, shown
from ldp_core.runs import queue
from ldp_core.runs.queue.permissions import room_of
from ldp_core.runs.record import deletion
from ldp_core.runs.storage import inventory
from ldp_core.runs.storage.inventory import StoredItem
from ldp_core.settings import OWN_DATA_HOURS
from ldp_core.system import bounded
from ldp_core.system.data_folder import own_dir

MOST_BYTES = 5 * 2**20
MOST_TITLE = 40
KINDS = "table", "images"
YOUNG_SECONDS = 600
"""Time from which on data that were never understood are a crash's."""
ENDINGS = (*_brought.TEXTS, ".zip", *_pictures.SUFFIXES)


class OwnData(NamedTuple):
    """A data set: its name, that of the uploaded file, and its time of deletion in seconds since 1970."""

    name: str
    title: str
    until: float

    @property
    def table(self) -> bool:
        return self.name.startswith(_brought.TABLE)


def hours() -> float:
    """Hours that uploaded data are stored; 0 if this server accepts no uploads."""
    return OWN_DATA_HOURS.value()


def take(files: Mapping[str, bytes], owner: str, address: str | None = None) -> OwnData:
    """Store an uploaded table, ZIP or pictures by file name, all or none; else InvalidInput."""
    if not hours():
        raise InvalidInput("this server takes no data of its visitors: its operator has switched that off")
    names = [*files]
    if len(names) > 1 and any(map(_brought.is_table, names)):
        raise InvalidInput(
            "several files at once, one of which is a table; drop one table, or pictures alone"
        )
    size = sum(map(len, files.values()))
    if size > MOST_BYTES:
        raise InvalidInput(f"these files have {size / 2**20:.1f} MB; at most {MOST_BYTES >> 20} MB are taken")
    sweep()
    file, until = own_dir() / room_of(owner) / secrets.token_hex(4), time.time() + 3600 * hours()
    entry = StoredItem("own data", _id(file), size, time.time(), until, owner, address)
    inventory.enter(entry)
    title = on_one_line(Path(names[0]).stem)[:MOST_TITLE] or "data"
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # first: what has a title is deleted in time, whatever becomes of this process
        file.with_suffix(".title").write_text(f"{title}\n{until}", encoding="utf-8")
        kind = _understand(file, {}, files)
    except (InvalidInput, OSError) as error:
        _unlink(file)
        if isinstance(error, OSError):
            raise StorageFailed(f"the folder of runs cannot be written to ({error.strerror})") from None
        raise InvalidInput(f"{shown(names[0])}: {error}") from None
    return OwnData(f"{kind}:{_id(file)}", title, until)


def _understand(file: Path, asked: dict[str, str], files: Mapping[str, bytes]) -> str:
    """Keep what a bounded process makes of files; returns their kind."""
    found = bounded.answer(_brought.__name__, asked, files)
    inventory.spent("own data", _id(file), found.cpu_seconds, len(found.data) or None)
    kind = str(found.checked()["kind"])
    part = file.with_suffix(".part")
    part.write_bytes(found.data)
    part.replace(file.with_suffix(f".{kind}"))
    return kind


def mine(owner: str | None) -> list[OwnData]:
    found = []
    for title in _titles(room_of(owner)) if owner else ():
        with suppress(FileNotFoundError):  # its time is just over
            if file := _file(title):
                found.append(OwnData(f"{file.suffix[1:]}:{_id(file)}", *_titled(title)))
    return sorted(found, key=lambda one: -one.until)


def labels(owner: str | None) -> dict[str, str]:
    """Label by name, for the valid data sets that a visitor has uploaded."""
    found = {}
    for one in mine(owner):
        with suppress(InvalidInput, NotYours):
            found[one.name] = look(one.name, owner).trains.label
    return found


def look(name: str, owner: str | None) -> Look:
    """What is known of a visitor's data."""
    _own(name, owner)
    if (named := NAMED.fullmatch(name)) and (found := _brought.current(named)):
        return found
    raise NotYours("these data are not here any more")


def describe(name: str, owner: str | None, said: Card) -> None:
    """Understand data anew, by a visitor's description; InvalidInput for one that does not fit."""
    text, file = json.dumps(said.as_json()), _own(name, owner)
    Card.of(text.encode())
    stored = file.read_bytes()
    inventory.enter(StoredItem("own data", _id(file), len(stored) + len(text), time.time()))
    _understand(file, {"card": text}, {"stored": stored})


def remove(name: str, owner: str | None) -> None:
    """Delete a visitor's data set and everything computed from it."""
    _unlink(_own(name, owner))
    sweep()


def room_for(request: Any, owner: str | None) -> str:
    """Private room of the data set in a request, "" without one; NotYours for another visitor's."""
    rooms = {found[2] for found in NAMED.finditer(json.dumps(request))}
    if rooms and (owner is None or rooms != {room_of(owner)}):
        raise NotYours("these data are another visitor's own, and only theirs to train on")
    return rooms.pop() if rooms else ""


def sweep() -> None:
    """Delete data sets whose time is over, and jobs whose uploaded data are gone."""
    now = time.time()
    for title in _titles("*"):
        with suppress(FileNotFoundError):  # another thread was quicker
            since = title.stat().st_mtime
            made = _file(title) is not None or now - since < YOUNG_SECONDS
            if not (made and since <= now <= _titled(title)[1]):
                _unlink(title)
    for job in queue.find("room != '' AND instr(request, room)", most=10_000) if own_dir().is_dir() else ():
        gone = any(not _brought.file_of(one).exists() for one in NAMED.finditer(job.text))
        if gone and job.live:  # it is gone once it has stopped
            queue.cancel(job.id)
        elif gone:
            queue.update(job.id, pinned=False)
            deletion.forget(job)


def lying() -> list[StoredItem]:
    """Data sets as the inventory has them."""
    found = list[StoredItem]()
    for title in _titles("*"):
        with suppress(FileNotFoundError):
            size = sum(file.stat().st_size for file in title.parent.glob(f"{title.stem}.*"))
            found.append(StoredItem("own data", _id(title), size, title.stat().st_mtime, _titled(title)[1]))
    return found


def erase(identity: str) -> None:
    """Delete a data set, and everything computed from it."""
    room, _, name = identity.partition(".")
    _unlink(own_dir() / room / name)
    sweep()


def _own(name: str, owner: str | None) -> Path:
    """File of a visitor's data set; NotYours if it is another visitor's, or was deleted."""
    found = NAMED.fullmatch(name)
    if owner is None or found is None or found[2] != room_of(owner):
        raise NotYours("these data are not yours, or not here any more")
    return _brought.file_of(found)


def _id(file: Path) -> str:
    return f"{file.parent.name}.{file.stem}"


def _titles(room: str) -> list[Path]:
    return [*own_dir().glob(f"{room}/*.title")]


def _file(title: Path) -> Path | None:
    """What was understood of the data with this title; None as long as that goes on, or after a crash."""
    return next((file for kind in KINDS if (file := title.with_suffix(f".{kind}")).exists()), None)


def _titled(file: Path) -> tuple[str, float]:
    """Title and end of a data set. The end is the uploading server's, whatever this process is set to; one
    that an earlier version has stored, or that is just being written, has none.
    """
    title, _, until = file.read_text(encoding="utf-8", errors="replace").partition("\n")
    with suppress(ValueError):
        return title, float(until)
    return title, file.stat().st_mtime + 3600 * hours()


def _unlink(file: Path) -> None:
    """Erase a data set, of which this is one of the files."""
    shutil.rmtree(file.with_suffix(""), ignore_errors=True)  # pictures of an earlier version
    for one in file.parent.glob(f"{file.stem}.*"):
        one.unlink(missing_ok=True)
    with suppress(OSError):  # others are left in the room
        file.parent.rmdir()
    datasets.registry.look_anew()
    inventory.release("own data", _id(file))
