"""Inventory of what visitors leave in the folder of runs: owner, address, bytes, seconds of reading and end
of each entry, with the limits of its kind. An entry is made before anything is written, and taken out after
it was erased; `compare` mends it after a crash in between.
"""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Literal, NamedTuple

from ldp_core.errors import NotNow, StudioError
from ldp_core.runs.storage.database import Database
from ldp_core.runs.storage.disk_space import refuse_a_full_disk
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.settings import QUOTA_GB

INVENTORY = Database(
    "ledger.sqlite",
    """
CREATE TABLE IF NOT EXISTS entry (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    part TEXT NOT NULL,       -- the class of a member, else ''; limits hold in each part
    owner TEXT,               -- digests, as jobs have them; NULL for the operator, whom no limit concerns
    address TEXT,
    size INTEGER NOT NULL,    -- bytes on the disk
    seconds REAL NOT NULL,    -- CPU time that reading it took
    at REAL NOT NULL,         -- when it was last changed, in seconds since 1970
    until REAL,               -- when it is erased; NULL for no such time
    gone INTEGER NOT NULL DEFAULT 0,  -- erased, and stands here for its seconds
    PRIMARY KEY (kind, id)
);
CREATE INDEX IF NOT EXISTS by_part ON entry (kind, part, gone, owner, address, size);
""",
)


class StoredKind(NamedTuple):
    home: str
    """Module that stores it, with `lying()` and `erase(identity)`, which is False for one that must stay."""
    what: str
    each: int
    near: int
    all: int
    """Most entries of one person, of one address, and of all."""
    share: float
    """Largest share of the quota."""
    makes_room: Literal["never", "in all", "always"]
    """Where the oldest goes at a limit, instead of a refusal: that of the person or address which is at its
    own; and that of the fullest address where all together are.
    """
    seconds: tuple[float, float] | None = None
    """Most CPU seconds of reading within an hour, of one person and of one address."""


KINDS = {
    "own data": StoredKind(
        "ldp_core.runs.record.own_data", "own data sets", 5, 100, 200, 0.1, "in all", (60.0, 300.0)
    ),
    "draft": StoredKind("ldp_core.runs.record.drafts", "drafts", 200, 5000, 20_000, 0.04, "always"),
    "link": StoredKind("ldp_core.runs.record.drafts", "links", 100, 2000, 10_000, 0.02, "always"),
    "guess": StoredKind("ldp_core.runs.record.guesses", "guesses", 300, 6000, 30_000, 0.01, "always"),
    "job": StoredKind("ldp_core.runs.record.deletion", "jobs", 1000, 10_000, 20_000, 0.1, "always"),
    "pilot": StoredKind("ldp_core.runs.record.pilots", "trials before training", 1, 100, 200, 0.01, "always"),
    "class": StoredKind("ldp_core.classroom.sessions", "classes", 20, 50, 100, 0.01, "never"),
    "member": StoredKind("ldp_core.classroom.members", "students of this class", 1, 100, 300, 0.01, "never"),
}
"""The bytes of jobs are those of their requests; their records have the quota (`record.quota`)."""
LEAST = 50 * 10**6
"""Bytes that a kind may take however small the quota is."""
LARGE = 10**6
"""Bytes from which on a new entry leaves the disk its reserve, as a job does."""
EACH_WEIGHS = 1000
"""Bytes that an entry counts for beside its own, so that many empty ones fill an address too."""
YOUNG_SECONDS, HOUR, COMPARED_SECONDS = 60.0, 3600.0, 600.0


class StoredItem(NamedTuple):
    """What lies in the folder, with what its module knows of it; `at` is 0 where it does not know."""

    kind: str
    id: str
    size: int
    at: float
    until: float | None = None
    owner: str | None = None
    address: str | None = None
    part: str = ""
    seconds: float = 0.0

    @property
    def place(self) -> str:
        return self.address or self.owner or ""


COLUMNS = ", ".join(StoredItem._fields)


def enter(entry: StoredItem) -> None:
    """Enter what is about to be written, or changed; a known entry keeps owner, address and end. Raises
    NotNow: the person, the address or all together have as much as they may; StorageFailed: the disk is
    nearly full.
    """
    going = _entered(entry, compared=False)
    if going is None:  # by what lies there it may fit
        compare(entry.kind)
        going = _entered(entry, compared=True)
    for one in going or ():
        erase(one)


def _entered(entry: StoredItem, compared: bool) -> list[StoredItem] | None:
    """Enter it; returns those that go for it. None, with nothing entered, if it fits only after others go and
    the inventory was not `compared`.
    """
    with INVENTORY.writing() as db:
        known = _select(db, "kind = ? AND id = ? AND NOT gone", entry.kind, entry.id)
        if known:
            last = known[0]
            entry = entry._replace(owner=last.owner, address=last.address, part=last.part)
            entry = entry._replace(until=last.until)
        elif entry.size >= LARGE:
            refuse_a_full_disk(entry.size)
        going = list[StoredItem]()
        if entry.owner is not None and not (known and entry.size == known[0].size):
            at_all, why = _limit(db, entry)
            if why and not compared:
                return None
            if why and KINDS[entry.kind].makes_room not in ("always", "in all" if at_all else ""):
                raise NotNow(why)
            going = _making_room(db, entry, why) if why else []
        values = ", ".join("?" * len(StoredItem._fields))
        entry = entry._replace(seconds=entry.seconds + (known[0].seconds if known else 0))
        db.execute(f"INSERT OR REPLACE INTO entry ({COLUMNS}) VALUES ({values})", entry)  # noqa: S608
    return going


def _limit(db: sqlite3.Connection, entry: StoredItem) -> tuple[bool, str]:
    """Sentence on the limit that one more entry exceeds, "" for none; True if it is that of all together."""
    kind = KINDS[entry.kind]
    query = (
        "SELECT total(owner IS ?1), total(address IS ?2), count(*), total(size) FROM entry "
        "WHERE kind = ?3 AND part = ?4 AND NOT gone AND id != ?5"
    )
    values = (entry.owner, entry.address, entry.kind, entry.part, entry.id)
    mine, near, count, size = map(int, db.execute(query, values).fetchone())
    if mine >= kind.each:
        return False, f"{mine} {kind.what} of yours are here, as many as one person may have: delete one"
    if entry.address and near >= kind.near:
        return False, f"{near} {kind.what} came from your network, as many as may be; try again later"
    if kind.seconds:
        query = (
            "SELECT total(seconds * (owner IS ?)), total(seconds) FROM entry "
            "WHERE kind = ? AND at > ? AND coalesce(address, owner) IS ?"
        )
        since = time.time() - HOUR
        spent = db.execute(query, (entry.owner, entry.kind, since, entry.place)).fetchone()
        if any(one + entry.seconds > most for one, most in zip(spent, kind.seconds, strict=True)):
            raise NotNow(f"{kind.what} from here took {spent[1]:.0f} s to read in an hour; try again later")
    if count >= kind.all or size + entry.size > most_bytes(kind):
        return True, f"{count} {kind.what} are here, as many as this server may hold; try again later"
    return False, ""


def _making_room(db: sqlite3.Connection, entry: StoredItem, why: str) -> list[StoredItem]:
    """Entries that go for a new one; raises NotNow with the reason if it does not fit without others."""
    kind, going = KINDS[entry.kind], list[StoredItem]()
    there = _select(db, "kind = ? AND part = ? AND NOT gone AND id != ?", entry.kind, entry.part, entry.id)
    going += _beyond([one for one in there if one.owner == entry.owner], kind.each)
    near = [one for one in there if entry.address and one.address == entry.address and one not in going]
    going += _beyond(near, kind.near)
    left = [one for one in there if one not in going]
    count, size, order = len(left), sum(one.size for one in left), oldest_of_fullest([*left, entry])
    while count >= kind.all or size + entry.size > most_bytes(kind):
        if (one := next(order)) is entry:
            raise NotNow(why)
        going.append(one)
        count, size = count - 1, size - one.size
    return going


def _beyond(there: Iterable[StoredItem], most: int) -> list[StoredItem]:
    """The oldest of these, without which one more fits."""
    found = sorted(there, key=lambda one: one.at)
    return found[: max(0, len(found) + 1 - most)]


def oldest_of_fullest(there: Sequence[StoredItem]) -> Iterator[StoredItem]:
    """Entries in the order in which they make room: each time the oldest of the address that has most."""
    by_place = dict[str, list[StoredItem]]()
    for one in sorted(there, key=lambda one: -one.at):
        by_place.setdefault(one.place, []).append(one)
    held = {place: sum(one.size + EACH_WEIGHS for one in found) for place, found in by_place.items()}
    for _ in range(len(there)):
        fullest = max(held, key=held.__getitem__)
        one = by_place[fullest].pop()
        held[fullest] -= one.size + EACH_WEIGHS
        if not by_place[fullest]:
            del held[fullest]
        yield one


def spent(kind: str, identity: str, seconds: float, size: int | None) -> None:
    """Note what reading an entry took, and the bytes that it has become."""
    query = "UPDATE entry SET seconds = seconds + ?, size = coalesce(?, size) WHERE kind = ? AND id = ?"
    INVENTORY.change(query, seconds, size, kind, identity)


def release(kind: str, identity: str) -> None:
    """Take out what was erased; for an hour its seconds of reading still count."""
    with INVENTORY.writing() as db:
        where = "kind = ? AND id = ?"
        query = f"UPDATE entry SET gone = 1, size = 0, until = ? WHERE {where} AND seconds > 0"  # noqa: S608
        db.execute(query, (time.time() + HOUR, kind, identity))
        db.execute(f"DELETE FROM entry WHERE {where} AND seconds = 0", (kind, identity))  # noqa: S608


def release_part(part: str) -> None:
    INVENTORY.change("DELETE FROM entry WHERE part = ?", part)


def erase(entry: StoredItem) -> bool:
    """Erase what was entered, wherever it lies; False if it stays for now."""
    done = _home(entry.kind).erase(entry.id) is not False
    if done:
        release(entry.kind, entry.id)
    return done


def standing(kind: str | None = None) -> list[StoredItem]:
    """All that is entered, of one kind or of all."""
    with INVENTORY.reading() as db:
        found = _select(db, "(?1 IS NULL OR kind = ?1) AND NOT gone ORDER BY at", kind) if db else []
    return [one for one in found if one.kind in KINDS]  # earlier versions had others


def taken() -> dict[str, tuple[int, int]]:
    """Number and bytes of the entries of each kind."""
    query = "SELECT kind, count(*), sum(size) FROM entry WHERE NOT gone GROUP BY kind"
    return {row[0]: (row[1], row[2]) for row in INVENTORY.rows(query) if row[0] in KINDS}


def free(most: int) -> list[StoredItem]:
    """Erase until all entries take at most so many bytes, the oldest of the fullest address first; returns
    those that went. What is short-lived, as a class, stays until its end.
    """
    there = [one for one in standing() if KINDS[one.kind].makes_room != "never"]
    left, going = sum(one.size for one in there), list[StoredItem]()
    for one in oldest_of_fullest(there):
        if left <= most:
            break
        with suppress(StudioError):
            if erase(one):
                going.append(one)
                left -= one.size
    return going


def sweep() -> None:
    """Now and then compare the inventory with what lies there; erase what has reached its end."""
    now = time.time()
    (runs_dir() / "nicknames.sqlite").unlink(missing_ok=True)  # of visitors to earlier versions
    with INVENTORY.reading() as db:
        last = _select(db, "kind = ''") if db else []
    if not (last and 0 <= now - last[0].at < COMPARED_SECONDS):
        for kind in KINDS:
            with suppress(StudioError, OSError):
                compare(kind)
        query = "INSERT OR REPLACE INTO entry (kind, id, part, size, seconds, at, gone) VALUES "
        if taken():
            INVENTORY.change(query + "('', '', '', 0, 0, ?, 1)", now)
    with INVENTORY.reading() as db:
        due = _select(db, "until < ? AND NOT gone", now) if db else []
    for one in due:
        with suppress(StudioError, OSError):  # or the next time
            erase(one)
    if INVENTORY.rows("SELECT 1 FROM entry WHERE gone AND until < ? LIMIT 1", now):
        INVENTORY.change("DELETE FROM entry WHERE gone AND until < ?", now)


def compare(kind: str) -> None:
    """Make a kind's entries those of what lies in the folder, where a crash has parted them; what was just
    entered may still be written.
    """
    lying: dict[str, StoredItem] = {one.id: one for one in _home(kind).lying() if one.kind == kind}
    now = time.time()
    if not (lying or standing(kind)):
        return
    with INVENTORY.writing() as db:
        known = {one.id: one for one in _select(db, "kind = ? AND NOT gone", kind)}
        for identity, one in lying.items():
            if identity not in known:
                values = ", ".join("?" * len(StoredItem._fields))
                new = one._replace(at=one.at or now)
                db.execute(f"INSERT OR REPLACE INTO entry ({COLUMNS}) VALUES ({values})", new)  # noqa: S608
            else:
                query = "UPDATE entry SET size = ?, at = ?, until = ? WHERE kind = ? AND id = ?"
                db.execute(query, (one.size, one.at or known[identity].at, one.until, kind, identity))
        lost = [
            (kind, one.id)
            for one in known.values()
            if one.id not in lying and not 0 <= now - one.at < YOUNG_SECONDS
        ]
        db.executemany("DELETE FROM entry WHERE kind = ? AND id = ?", lost)


def most_bytes(kind: StoredKind) -> float:
    return max(LEAST, kind.share * QUOTA_GB.value() * 1e9)


def _select(db: sqlite3.Connection, where: str, *values: Any) -> list[StoredItem]:
    rows = db.execute(f"SELECT {COLUMNS} FROM entry WHERE {where}", values).fetchall()  # noqa: S608
    return [StoredItem(*row) for row in rows]


def _home(kind: str) -> Any:
    """Module that stores a kind: above this one, since it enters here what it stores."""
    return import_module(KINDS[kind].home)
