"""Nicknames that are shown beside visitors' runs. A visitor may type one on Runs."""

import time
import unicodedata

from ldp_core.errors import InvalidInput, on_one_line
from ldp_core.runs.storage import inventory
from ldp_core.runs.storage.database import Database
from ldp_core.runs.storage.inventory import StoredItem

DATABASE = Database(
    "nicknames.sqlite",
    """
CREATE TABLE IF NOT EXISTS nickname (
    who TEXT PRIMARY KEY,  -- the visitor's digest, as jobs have it
    name TEXT NOT NULL     -- "" for none
);
""",
)
BLANK = "\u3164\u2800\u115f\u1160\uffa0"
"""Letters that show nothing."""
MOST_LETTERS, MOST_MARKS = 20, 2
"""Most characters of a name, and most combining marks on one of them."""
ALIKE = str.maketrans(
    "авекмнорстухѕіјԁһɡαβεικνορτυχɑıո",
    "abekmhopctyxsijdhgabeiknoptuxain",
)
"""Latin letters that others look like, after case folding."""
FIGURES = str.maketrans("01|l", "oiii")


def cleaned(name: str) -> str:
    """Name on one line, without control characters; InvalidInput if it is too long."""
    found = "".join(letter for letter in on_one_line(name) if letter not in BLANK).strip()
    if (letters := len(found)) > MOST_LETTERS:
        raise InvalidInput(f"a name has at most {MOST_LETTERS} letters; this one has {letters}: shorten it")
    marks = "".join(
        "^" if unicodedata.combining(letter) else " " for letter in unicodedata.normalize("NFD", found)
    )
    if (most := max(map(len, marks.split()), default=0)) > MOST_MARKS:
        raise InvalidInput(f"a letter takes at most {MOST_MARKS} accents; one of this name has {most}")
    return found


def latin(name: str) -> str:
    """A name in small Latin letters, where its letters look like these."""
    return unicodedata.normalize("NFKD", name).casefold().translate(ALIKE)


def skeleton(name: str) -> str:
    """What a name looks like: equal for names that a reader cannot tell apart."""
    return "".join(letter for letter in latin(name).translate(FIGURES) if letter.isalnum()) or name


def keep(who: str, name: str, address: str | None = None) -> None:
    """Store a visitor's nickname; "" for none."""
    typed = cleaned(name)
    inventory.enter(StoredItem("nickname", who, len(typed), time.time(), None, who, address))
    DATABASE.change("INSERT OR REPLACE INTO nickname VALUES (?, ?)", who, typed)


def lying() -> list[StoredItem]:
    return [StoredItem("nickname", who, len(name), 0.0, owner=who) for who, name in everybody().items()]


def erase(identity: str) -> None:
    DATABASE.change("DELETE FROM nickname WHERE who = ?", identity)


def everybody() -> dict[str, str]:
    """Nickname by visitor id; "" for a visitor who gave it up."""
    return dict(map(tuple, DATABASE.rows("SELECT who, name FROM nickname")))
