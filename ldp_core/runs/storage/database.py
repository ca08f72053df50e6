"""SQLite as this project uses it: small files, rollback journal, one schema a file.

The rollback journal and not the write-ahead log: before SQLite 3.51.3 a log with two writers can corrupt a
database, and a reader of a log needs write access to its folder.
"""

import errno
import math
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ldp_core.errors import DiskFull, KeptLocked, ReadOnly, StorageFailed
from ldp_core.runs.storage.disk_space import is_full
from ldp_core.runs.storage.paths import runs_dir

BUSY_SECONDS = 10.0
"""Time that a page waits for another writer."""
AGAIN_SECONDS = 1.0
"""Time that a read waits if it has just waited in vain: a worker of low priority may keep a lock."""
PATIENT_SECONDS = 120.0
"""Time that a process waits which would otherwise have to give up a job."""
_busy = [BUSY_SECONDS]
_locked: dict[Path, float] = {}
"""Time of this process's last vain wait by file, since a page reads several times."""
KEPT_LOCKED = "in the folder of runs is kept locked by another program; try again in a moment"
MOVE_IT = "move it away to start afresh, or name another folder in EPSILON_RUNS_DIR"
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""Exceptions that reading a damaged file may raise; Python decodes some values before SQLite checks them."""


def be_patient() -> None:
    _busy[0] = PATIENT_SECONDS


class Database(NamedTuple):
    """A database in the folder of runs, made by the first change."""

    name: str
    schema: str
    format: int = 0
    """`PRAGMA user_version`; a file of another format is neither read nor written."""
    advice: str = MOVE_IT
    """End of messages on a file that cannot be used."""
    grows: bool = False
    """Whether a file of an earlier version gets the tables that it lacks; else it counts as damaged."""

    @property
    def path(self) -> Path:
        return runs_dir() / self.name

    def change(self, query: str, *values: Any) -> int:
        """Run one statement; returns the number of changed rows."""
        with self.writing() as db:
            return db.execute(query, values).rowcount

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with self.reading() as db:
            return db.execute(query, values).fetchall() if db else []

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Transaction that holds the write lock from its beginning; committed unless the body raises. Deleted
        data leave no bytes behind.
        """
        with closing(self.opened()) as connection, self._named((sqlite3.Error,)), connection:
            self._refuse_another_format(connection)
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def opened(self, durable: bool = True) -> sqlite3.Connection:
        """Connection in autocommit, with its tables; if not `durable`, power loss spares what was synced."""
        path = self.path
        with self._named((sqlite3.Error, OSError)):
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=_busy[0], isolation_level=None)
            try:
                connection.row_factory = sqlite3.Row
                if not durable:
                    connection.execute("PRAGMA synchronous = OFF")
                if not _has_tables(connection) or self._lacks_tables(connection):
                    # the lock first: who reads and then wants to write may be turned away at once
                    made = f"{self.schema} PRAGMA user_version = {self.format};"
                    connection.executescript(f"BEGIN IMMEDIATE; {made} COMMIT;")
            except BaseException:
                connection.close()
                raise
        return connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """Read-only connection; None before the file has tables."""
        with self._named((*UNREADABLE, OSError)):
            connection = _to_read(self.path)
            if connection and self._lacks_tables(connection):
                connection.close()
                self.opened().close()  # a file of an earlier version
                connection = _to_read(self.path)
        if connection is None:
            yield None
            return
        with closing(connection), self._named(UNREADABLE):
            self._refuse_another_format(connection)
            yield connection

    def _lacks_tables(self, db: sqlite3.Connection) -> bool:
        query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        return self.grows and int(db.execute(query).fetchone()[0]) < self.schema.count("CREATE TABLE ")

    def _refuse_another_format(self, db: sqlite3.Connection) -> None:
        if (found := int(db.execute("PRAGMA user_version").fetchone()[0])) != self.format:
            words = f"is of format {found}, and this program reads {self.format}; {self.advice}"
            raise StorageFailed(f"{self.path.name} in the folder of runs {words}")

    @contextmanager
    def _named(self, kinds: tuple[type[Exception], ...]) -> Iterator[None]:
        """Context that makes errors of SQLite and the file system StorageFailed, with the file's name."""
        try:
            yield
        except kinds as error:
            path = self.path
            if _is_busy(error):
                raise KeptLocked(f"{path.name} {KEPT_LOCKED}") from error
            if is_full(error):
                raise DiskFull from error
            if _is_read_only(error, path):
                raise ReadOnly from error
            reason = error.strerror if isinstance(error, OSError) else str(error)
            message = f"{path.name} in the folder of runs cannot be used ({reason}); {self.advice}"
            raise StorageFailed(message) from error


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None


def _to_read(path: Path) -> sqlite3.Connection | None:
    """Connection that takes back a commit in which its writer was killed, and changes nothing else."""
    now, patience, found = time.monotonic(), _busy[0], False
    if patience <= BUSY_SECONDS and now - _locked.get(path, -math.inf) < BUSY_SECONDS:
        patience = min(patience, AGAIN_SECONDS)
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=patience)
    except sqlite3.OperationalError:
        if path.exists():
            raise
        return None
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA query_only = ON")
        found = _has_tables(connection)
        _locked.pop(path, None)
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            _locked[path] = time.monotonic()
        raise
    finally:
        if not found:
            connection.close()
    return connection if found else None


def _is_busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _is_read_only(error: Exception, path: Path) -> bool:
    if isinstance(error, OSError):
        return error.errno == errno.EROFS
    code = getattr(error, "sqlite_errorname", "")
    if code.startswith("SQLITE_CANTOPEN"):
        here = [one for one in (path.parent, path) if one.exists()]
        return bool(here) and not all(os.access(one, os.W_OK) for one in here)
    return code in ("SQLITE_READONLY", "SQLITE_READONLY_DIRECTORY")  # and not one that was moved away
