"""Limit on the disk space of drafts and shared links. The largest go first, and of equally large ones those
unchanged for longest: a visitor who fills the space loses such drafts, while small ones stay.
"""

import logging
import sqlite3
from math import log2

MOST = 200 * 10**6
"""Largest number of bytes of all drafts and links."""
MOST_EACH = 4 * 10**6
"""Largest number of bytes of one draft's revisions; large drafts keep fewer."""
LEAST_REVISIONS, REVISIONS = 2, 50
"""Least and largest number of stored revisions of a draft."""
LEFT = 0.8
"""Share of the limit that remains in use after a deletion, so that deletions are rare."""
KEPT = {"revisions": "draft", "snapshots": "id", "ladders": "id", "typed": "id"}
"""Tables, each with its column of ids."""
SIZES = """
SELECT id, sum(length(body)) AS size, max(at) AS at
FROM (SELECT draft AS id, body, at FROM revisions UNION ALL SELECT id, body, at FROM snapshots)
WHERE id != ? GROUP BY id
"""
SHORTEN = """
DELETE FROM revisions WHERE draft = ?1 AND number IN (SELECT number FROM (
    SELECT number, row_number() OVER newest AS place, sum(length(body)) OVER newest AS size
    FROM revisions WHERE draft = ?1 WINDOW newest AS (ORDER BY number DESC)
) WHERE place > ?2 AND size > ?3)
"""


def taken(db: sqlite3.Connection) -> int:
    tables = "pragma_page_count, pragma_freelist_count, pragma_page_size"
    query = f"SELECT (page_count - freelist_count) * page_size FROM {tables}"  # noqa: S608
    return int(db.execute(query).fetchone()[0])


def keep_within(db: sqlite3.Connection, identity: str, size: int) -> None:
    """Delete old revisions, then other drafts, until the limit holds; the draft just written stays."""
    if size * REVISIONS > MOST_EACH:
        db.execute(SHORTEN, (identity, LEAST_REVISIONS, MOST_EACH))
    left, gone = taken(db), 0
    if left <= MOST:
        return
    for row in sorted(db.execute(SIZES, (identity,)), key=lambda row: (-int(log2(row["size"])), row["at"])):
        if left <= LEFT * MOST:
            break
        for table, column in KEPT.items():
            db.execute(f"DELETE FROM {table} WHERE {column} = ?", (row["id"],))  # noqa: S608
        gone, left = gone + 1, left - row["size"]
    logging.warning("%d drafts were removed to make room for others", gone)
