"""What a run tells on the way to a round's end: told once, though the round is begun again after a kill."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from typing import Any

from ldp_core.events import Frame
from ldp_core.runs.lockstep import Turn

Place = tuple[int, int, int, int]


class ToldWithin:
    """The frames that a record holds already."""

    def __init__(self, db: sqlite3.Connection) -> None:
        query = "SELECT run, body FROM events WHERE json_extract(body, '$.event') = ?"
        self._known = {_place(run, json.loads(body)) for run, body in db.execute(query, (Frame.event,))}

    def new(self, turn: Turn) -> Turn:
        """A turn without what is recorded of it: a round that is begun again tells the same, to the bit."""
        if not turn.within or not self._known:
            return turn
        return replace(turn, events=[one for one in turn.events if _place(turn.run, one) not in self._known])


def _place(run: int, body: dict[str, Any]) -> Place:
    return run, body["round"], body["client"], body["iterations"]
