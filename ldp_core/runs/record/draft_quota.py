"""Limit on the disk space of drafts and shared links. The largest go first, and of equally large ones those
unchanged for longest: a visitor who fills the space loses such drafts, while small ones stay.
"""

import logging
import sqlite3
from math import log2

from ldp_core.settings.table import DRAFTS_MB

MOST_EACH = 4 * 10**6
"""Largest number of bytes of one draft's revisions; large drafts keep fewer."""
LEAST_REVISIONS, REVISIONS = 2, 50
"""Least and largest number of stored revisions of a draft."""
LEFT = 0.8
"""Share of the limit that remains in use after a deletion, so that deletions are rare."""
TABLES = {"revisions": "draft", "snapshots": "id"}
SHORTEN = """
DELETE FROM revisions WHERE draft = ?1 AND number IN (SELECT number FROM (
    SELECT number, row_number() OVER newest AS place, sum(length(body)) OVER newest AS size
    FROM revisions WHERE draft = ?1 WINDOW newest AS (ORDER BY number DESC)
) WHERE place > ?2 AND size > ?3)
"""


def most_bytes() -> int:
    return int(1e6 * DRAFTS_MB.value())


def taken(db: sqlite3.Connection) -> int:
    pages, free, size = (
        int(db.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def keep_within(db: sqlite3.Connection, identity: str, size: int) -> None:
    """Delete old revisions, then other drafts, until the limit holds; the draft just written stays."""
    if size * REVISIONS > MOST_EACH:
        db.execute(SHORTEN, (identity, LEAST_REVISIONS, MOST_EACH))
    most = most_bytes()
    if (now := taken(db)) <= most:
        return
    gone, freed = 0, 0
    for table, name, bytes_ in _in_order(db, identity):
        if now - freed <= LEFT * most:
            break
        db.execute(f"DELETE FROM {table} WHERE {TABLES[table]} = ?", (name,))  # noqa: S608
        for other in ("ladders", "typed"):
            db.execute(f"DELETE FROM {other} WHERE id = ?", (name,))  # noqa: S608
        gone, freed = gone + 1, freed + bytes_
    logging.warning("%d drafts were removed to make room: EPSILON_DRAFTS_MB", gone)


def _in_order(db: sqlite3.Connection, spared: str) -> list[tuple[str, str, int]]:
    """Deletable rows in the order of deletion: table, name, size in characters."""
    query = (
        "SELECT 'revisions' AS held, draft AS name, sum(length(body)) AS size, max(at) AS at FROM revisions "
        "GROUP BY draft UNION ALL SELECT 'snapshots', id, length(body), at FROM snapshots"
    )
    rows = sorted(db.execute(query), key=lambda row: (-int(log2(max(row["size"], 1))), row["at"]))
    return [(row["held"], row["name"], row["size"]) for row in rows if row["name"] != spared]
