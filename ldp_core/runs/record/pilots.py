"""Verdicts before training: stored by the experiment's key, or asked of the worker, which tries them out
while it has nothing else to do. A person waits for one request, and the newest replaces it.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ldp_core import datasets
from ldp_core.behaviour import version
from ldp_core.errors import StorageFailed, StudioError
from ldp_core.experiment import Experiment, Plan, kept, parse, plan
from ldp_core.runs.lockstep import load
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.record import computations, own_data
from ldp_core.runs.storage import inventory
from ldp_core.runs.storage.database import Database
from ldp_core.runs.storage.inventory import StoredItem
from ldp_core.runs.storage.paths import data_dir
from ldp_core.system.json_file import from_text
from ldp_core.theory.learnability import Outlook, certain

WAITING = Database(
    "pilots.sqlite",
    """
CREATE TABLE IF NOT EXISTS waiting (
    owner TEXT PRIMARY KEY,
    address TEXT,
    request TEXT NOT NULL,  -- experiments, as a JSON list
    at REAL NOT NULL        -- when it was asked, in seconds since 1970
);
""",
)
TESTING = Outlook("unknown", "testing …")
AWAY = Outlook("unknown", "its data are not here yet: press Train")
FAILED = Outlook("unknown", "a trial of it failed: press Train")


class PilotRequest(NamedTuple):
    owner: str
    request: str
    at: float

    @property
    def experiments(self) -> list[Experiment]:
        return [parse(one) for one in from_text(self.request, list) or ()]


def known(experiments: Iterable[Experiment]) -> list[Outlook]:
    """Verdicts that are there at once, without training: of the noise alone, or stored; else `TESTING`.
    Where the store cannot be read, there is no trial.
    """
    some = [*experiments]
    found = [certain(plan(one)) for one in some]
    keys = {i: key_of(plan(one)) for i, one in enumerate(some) if found[i] is None}
    try:
        ended = computations.ended(keys.values()) if keys else {}
    except StorageFailed:
        return [one or FAILED for one in found]
    for i, key in keys.items():
        if key in ended:
            found[i] = Outlook(**ended[key].figures)
        elif not plan(some[i]).source.there(data_dir()):
            found[i] = AWAY
    return [one or TESTING for one in found]


@kept(4096)
def key_of(asked: Plan) -> str:
    """Key of a verdict, which attacks do not change."""
    one = asked.experiment.model_copy(update={"attack": None, "name": ""})
    rooms = {found[2] for found in own_data.NAMED.finditer(one.dataset)}
    return computations.key_of("pilot", plan(one).key, version(one), room=rooms.pop() if rooms else "")


def ask(experiments: Sequence[Experiment], owner: str, address: str | None = None) -> bool:
    """Have the worker try out those that are not known; False if it is asked to already. NotYours: data of
    another visitor; errors as for `inventory.enter`.
    """
    request = json.dumps([one.as_json() | {"attack": None} for one in experiments])
    own_data.room_for(request, owner)
    if any(one.owner == owner and one.request == request for one in waiting()):
        return False
    inventory.enter(StoredItem("pilot", owner, len(request), time.time(), None, owner, address))
    query = "INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?)"
    WAITING.change(query, owner, address, request, time.time())
    return True


def waiting() -> list[PilotRequest]:
    """Requests, oldest first."""
    rows = WAITING.rows("SELECT owner, request, at FROM waiting ORDER BY at")
    return [PilotRequest(str(row["owner"]), str(row["request"]), float(row["at"])) for row in rows]


def try_out(asked: PilotRequest) -> None:
    """Compute and store what a request's experiments still lack; loads torch."""
    from ldp_core.pilot import pilot

    if datasets.registry.named_in(asked.request):
        datasets.registry.look_anew()
    speed = rates()
    for one in asked.experiments:
        if known([one])[0] is not TESTING:
            continue
        try:
            found = pilot(one, load(one.dataset), *([speed] if speed else []))
        except StudioError as error:
            found = Outlook("unknown", f"{error}")
        _keep({key_of(plan(one)): found})


def give_up(asked: PilotRequest) -> None:
    """Store that what a request's experiments lack could not be tried out."""
    views = zip(asked.experiments, known(asked.experiments), strict=True)
    _keep({key_of(plan(one)): FAILED for one, view in views if view is TESTING})


def done(asked: PilotRequest) -> None:
    """Take a request out, unless another has replaced it."""
    if WAITING.change("DELETE FROM waiting WHERE owner = ? AND at = ?", asked.owner, asked.at):
        inventory.release("pilot", asked.owner)


def _keep(found: Mapping[str, Outlook]) -> None:
    figures: list[tuple[str, str, str, dict[str, Any]]] = [
        (key, "figures", "completed", one.as_json()) for key, one in found.items()
    ]
    computations.note_ends(figures)


def lying() -> list[StoredItem]:
    """Requests as the inventory has them."""
    rows = WAITING.rows("SELECT owner, length(request), at, address FROM waiting")
    return [StoredItem("pilot", row[0], row[1], row[2], None, row[0], row[3]) for row in rows]


def erase(identity: str) -> None:
    WAITING.change("DELETE FROM waiting WHERE owner = ?", identity)
