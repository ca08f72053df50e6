"""What the page replays and what its lessons change, trained beforehand (`ldp_core still --measure`)."""

import gzip
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ldp_core import lessons, presets
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Experiment, changed
from ldp_core.runs import Final, RunProgress, drive, final_figures, one_thread
from ldp_core.system.shipped import ASSETS
from pages.parts.learn.one_thing import draft_of, options

FILE = ASSETS / "outcomes" / "still.json.gz"
SCENARIO = "two_volunteers"
"""The training that is replayed."""
PICTURED = ("image", "original", "pairs")
"""Of attacks, what is shown of the first seed alone."""


class StoredScenario(NamedTuple):
    date: str
    events: Sequence[Sequence[Mapping[str, Any]]]
    """Of each run of the scenario."""
    changes: Mapping[str, Sequence[tuple[Any, Final]]]
    """By lesson: each value of its free field, and what runs with it came to."""


def stored() -> StoredScenario:
    data = json.loads(gzip.decompress(FILE.read_bytes()))
    changes = {
        name: [(value, Final(**figures)) for value, figures in found]
        for name, found in data["changes"].items()
    }
    return StoredScenario(data["date"], data["events"], changes)


def measure() -> None:
    """Train it all, and store it."""
    one_thread()
    draft = presets.get(SCENARIO).draft
    events = [
        [_lean(body, first=run.experiment.seed == draft.base.seed) for body in _events(run.experiment)]
        for run in draft.runs(reference=True)
    ]
    changes = {name: _changes(name) for name in lessons.names() if lessons.get(name).free}
    date = datetime.now(UTC).date().isoformat()
    body = json.dumps({"date": date, "events": events, "changes": changes})
    FILE.write_bytes(gzip.compress(body.encode(), 9, mtime=0))


def _events(experiment: Experiment) -> list[dict[str, Any]]:
    return [event for turn in drive({0: experiment}) for event in turn.events]


def _lean(body: dict[str, Any], first: bool) -> dict[str, Any]:
    shown = first and body.get("control") is None
    return body if shown else {name: one for name, one in body.items() if name not in PICTURED}


def _changes(name: str) -> list[tuple[Any, dict[str, Any]]]:
    plan, found = lessons.get(name), list[tuple[Any, dict[str, Any]]]()
    for value, called in options(plan.scenario, plan.free).items():
        try:
            runs = draft_of(plan.scenario, plan.free, value, called).runs()
        except InvalidExperiment:
            continue
        folded = [RunProgress(0, called, run.experiment.seed, "") for run in runs]
        for run, into in zip(runs, folded, strict=True):
            for body in _events(changed(run.experiment, {"attack": None})):
                into.fold(body)
        found.append((value, final_figures.final(folded).as_json()))
    return found
