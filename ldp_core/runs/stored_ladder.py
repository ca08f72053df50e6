"""An attacker's ladder, stored: what Attack shows until its visitor has one of her own. It is the usual one,
on a scenario whose pictures are searched for, made by the command that makes the scenarios' outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ldp_core import presets
from ldp_core.behaviour import version
from ldp_core.datasets import Report, quiet
from ldp_core.experiment import Variant
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.runs import outcomes
from ldp_core.runs.lockstep import load, one_thread
from ldp_core.runs.outcomes import SHIPPED
from ldp_core.runs.view.cells import Desk
from ldp_core.system.json_file import read_json, write_json

NAME = "ladder"
SCENARIO = "picture_forms"
"""Whose pictures one recognises, and can go back through."""
EQUAL, LAW = "everybody_equal", "piecewise"
"""Whose accuracy stands beside a budget: the ladder's first mechanism, for clients who ask alike."""
IMAGES = 12
KEPT = ("ladder", "reference", "cell", "guess", "end")
EVERY = 2
"""Of the looks at a search so many make one frame that is kept."""


@dataclass(frozen=True)
class StoredLadder:
    desk: Desk
    version: str
    """Of the code that climbed it."""
    date: str
    """YYYY-MM-DD"""
    accuracies: dict[float, float]
    """By ε: the last accuracy of `EQUAL` where all its clients ask for that, mean of its seeds."""

    @property
    def scenario(self) -> str:
        """Label of its experiment."""
        return str(self.desk.start["ladder"]["base"]["name"])

    @property
    def current(self) -> bool:
        """Whether it was measured with this version."""
        return self.version == version(asked())


def asked() -> Ladder:
    """The ladder that is measured and stored."""
    return Ladder(base=presets.get(SCENARIO).draft.base, images=IMAGES)


def stored_ladder(folder: Path = SHIPPED) -> StoredLadder | None:
    """The stored ladder; None where there is none, or it cannot be read."""
    try:
        data = read_json(folder / f"{NAME}.json")
        desk = Desk.of(data["events"])
        accuracies = {float(epsilon): float(found) for epsilon, found in data["accuracies"]}
        whole = desk.start and desk.cells
        return StoredLadder(desk, data["version"], data["date"], accuracies) if whole else None
    except (OSError, ValueError, TypeError, LookupError):
        return None


def make_ladder(folder: Path = SHIPPED, say: Callable[[str], None] = print, progress: Report = quiet) -> None:
    """Measure the ladder here and store it, unless one of this version exists."""
    known = stored_ladder(folder)
    if known and known.current:
        say(f"{NAME}: of this version already")
        return
    from ldp_core.leakage.grid import climb

    one_thread()
    folder.mkdir(parents=True, exist_ok=True)
    ladder = asked()
    bodies = (event.as_json() for event in climb(ladder, load(ladder.base.dataset, progress)))
    events = _thinned([event for event in bodies if event["event"] in KEPT])
    date = datetime.now(UTC).date().isoformat()
    accuracies = [[epsilon, _accuracy(epsilon, progress)] for epsilon in ladder.epsilons]
    body = {"version": version(ladder), "date": date, "accuracies": accuracies, "events": events}
    write_json(folder / f"{NAME}.json", body)
    say(f"{NAME}: {sum(event['event'] == 'cell' for event in events)} cells")


def _accuracy(epsilon: float, progress: Report) -> float:
    """Last accuracy with this ε for all, mean of the scenario's seeds."""
    prepared = presets.get(EQUAL).draft.with_base({"clients.epsilon": epsilon, "mechanism.name": LAW})
    found = outcomes.outcome(EQUAL, replace(prepared, variants=(Variant(LAW),)), progress)
    return float(found.curves[0][-1])


def _thinned(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events with every n-th frame, the first ones kept."""
    steps = sorted({event["iterations"] for event in events if event["event"] == "guess"})[::EVERY]
    return [event for event in events if event["event"] != "guess" or event["iterations"] in steps]


def make_all(names: Sequence[str], progress: Report = quiet) -> None:
    """These scenarios' outcomes; by default those that are shipped already, and the ladder."""
    outcomes.make(
        names or [name for name in presets.names() if outcomes.stored(name)], SHIPPED, print, progress
    )
    if not names:
        make_ladder(progress=progress)
