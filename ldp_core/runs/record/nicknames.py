"""Nicknames that are shown beside visitors' runs. A visitor is asked once and may skip the question."""

from ldp_core.errors import InvalidInput, on_one_line
from ldp_core.runs.storage.database import Database

DATABASE = Database(
    "nicknames.sqlite",
    """
CREATE TABLE IF NOT EXISTS nickname (
    who TEXT PRIMARY KEY,  -- the visitor's digest, as jobs have it
    name TEXT NOT NULL     -- "" where the question was skipped
);
""",
)
MOST_LETTERS = 20


def cleaned(name: str) -> str:
    """Name on one line, without control characters; InvalidInput if it is too long."""
    found = on_one_line(name)
    if (letters := len(found)) > MOST_LETTERS:
        raise InvalidInput(f"a name has at most {MOST_LETTERS} letters; this one has {letters}: shorten it")
    return found


def keep(who: str, name: str) -> None:
    """Store a visitor's nickname; "" stores that the visitor skipped the question."""
    DATABASE.change("INSERT OR REPLACE INTO nickname VALUES (?, ?)", who, cleaned(name))


def everybody() -> dict[str, str]:
    """Nickname by visitor id; "" for a visitor who skipped the question."""
    return dict(map(tuple, DATABASE.rows("SELECT who, name FROM nickname")))
