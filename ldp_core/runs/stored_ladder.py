"""A precomputed attack grid that the page Attack shows first (`python -m ldp_core presets --outcomes`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ldp_core import presets
from ldp_core.behaviour import version
from ldp_core.datasets import Report, quiet
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.runs import outcomes
from ldp_core.runs.lockstep import load, one_thread
from ldp_core.runs.stored_answer import make_answer
from ldp_core.runs.stored_promises import make_promises
from ldp_core.runs.view.cells import Desk
from ldp_core.system.json_file import read_json, write_json

NAME = "ladder"
SCENARIO = "picture_forms"
"""Scenario whose uploads are attacked; its reconstructions have frames."""
IMAGES = 12
EVERY = 2
"""One of so many frames of a search is stored, beginning with the first."""


@dataclass(frozen=True)
class StoredLadder:
    desk: Desk
    version: str
    """Program version that measured the grid."""
    date: str
    """YYYY-MM-DD."""

    @property
    def scenario(self) -> str:
        return str(self.desk.start["ladder"]["base"]["name"])

    @property
    def current(self) -> bool:
        return self.version == version(asked())


def asked() -> Ladder:
    return Ladder(base=presets.get(SCENARIO).draft.base, images=IMAGES)


def stored_ladder(folder: Path = outcomes.SHIPPED) -> StoredLadder | None:
    try:
        data = read_json(folder / f"{NAME}.json")
        desk = Desk.of(data["events"])
        whole = desk.start and desk.cells
        return StoredLadder(desk, data["version"], data["date"]) if whole else None
    except (OSError, ValueError, TypeError, LookupError):
        return None


def make_ladder(progress: Report) -> None:
    known = stored_ladder()
    if known and known.current:
        print(f"{NAME}: of this version already")
        return
    from ldp_core.leakage.grid import climb

    one_thread()
    ladder = asked()
    events = [event.as_json() for event in climb(ladder, load(ladder.base.dataset, progress))]
    steps = sorted({body["iterations"] for body in events if body["event"] == "guess"})[::EVERY]
    events = [body for body in events if body["event"] != "guess" or body["iterations"] in steps]
    date = datetime.now(UTC).date().isoformat()
    body = {"version": version(ladder), "date": date, "events": events}
    write_json(outcomes.SHIPPED / f"{NAME}.json", body)
    print(f"{NAME}: {sum(event['event'] == 'cell' for event in events)} cells")


def make_all(names: Sequence[str], progress: Report = quiet) -> None:
    """Measure and store these scenarios' results; by default all that is shipped."""
    shipped = [name for name in presets.names() if outcomes.stored(name)]
    outcomes.make(names or shipped, progress=progress)
    if not names:
        make_ladder(progress)
        make_answer(progress)
        make_promises(progress)
