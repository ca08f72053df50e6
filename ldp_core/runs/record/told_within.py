"""What a run tells on the way to a round's end: told once, though the round is begun again after a kill, of
this process or of one on a cluster that trains for it.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from typing import Any

from ldp_core.events import Frame
from ldp_core.runs.lockstep import Turn

Place = tuple[int, int, int, int]


class ToldWithin:
    """The frames that a record holds, or has been given."""

    def __init__(self, db: sqlite3.Connection) -> None:
        query = "SELECT run, body FROM events WHERE json_extract(body, '$.event') = ?"
        self._known = {_place(run, json.loads(body)) for run, body in db.execute(query, (Frame.event,))}

    def new(self, turn: Turn) -> Turn:
        """A turn without what is recorded of it: a round that is begun again tells the same, to the bit."""
        if not turn.within:
            return turn
        new = [one for one in turn.events if one["event"] != Frame.event or self._is_new(turn.run, one)]
        return replace(turn, events=new)

    def _is_new(self, run: int, frame: dict[str, Any]) -> bool:
        place = _place(run, frame)
        if place in self._known:
            return False
        self._known.add(place)
        return True


def _place(run: int, body: dict[str, Any]) -> Place:
    return run, body["round"], body["client"], body["iterations"]
