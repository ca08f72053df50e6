"""A training after each of its rounds, as Train's panels show it; of a job, or the one that is stored."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core.experiment import Draft
from ldp_core.runs import Progress
from pages.parts.charts.series import series
from pages.parts.train.attributes import of_rows
from pages.parts.train.findings import findings
from pages.parts.train.server_panel import MOST_COLUMNS, uploads_in
from pages.parts.watch.trio import Pictured, chance_of, trio

Body = Mapping[str, Any]
MOST_FRAMES = 60
"""Rounds of a long training that can be looked at: evenly many, the last among them."""


def replay(
    draft: Draft, events: Sequence[Sequence[Body]], reference: bool, empty: str, completed: bool
) -> tuple[dict[str, Any], str]:
    """Data of a replay for assets/web/still.js, and what was found at the end, as Markdown.

    Args:
        events: of each run, in the order of `draft.runs(reference)`.
        empty: said in place of an image where there is none.
    """
    each = draft.runs(reference)
    rows = [
        (one.variant, one.label, one.experiment.seed, json.dumps(one.experiment.as_json())) for one in each
    ]
    progress, said, frames = Progress((), rows), list[str](), list[dict[str, Any]]()
    last = max((body.get("round", 0) for run in events for body in run), default=0)
    shown_rounds = set(np.linspace(1, last, min(last, MOST_FRAMES)).astype(int).tolist())
    by_round = [_by_round(bodies, last) for bodies in events]
    for now in range(1, last + 1):
        for run, bodies in zip(progress.runs, by_round, strict=True):
            for body in bodies.get(now, ()):
                run.fold(body)
        if now not in shown_rounds:
            continue
        shown, clean = series(progress, draft)
        attacked = [one for one in shown if one.runs[0].tries or one.runs[0].frames][-MOST_COLUMNS:]
        pictured = Pictured(attacked, next(iter(uploads_in(attacked)), "audit"))
        ended = now == last
        drawn = trio(draft, shown, clean, pictured, empty, "completed" if ended and completed else "stopped")
        for chip in drawn["head"]["chips"]:
            chip.pop("link", None)  # to a page of the server
        frames.append(drawn)
        said.append(f"round {now} of {draft.lengths[1]}")
    shown, clean = series(progress, draft)
    words = findings(shown, clean, chance_of(shown), stopped=not completed)
    return {"rounds": said, "frames": frames}, of_rows(words, draft.base.dataset)


def _by_round(bodies: Iterable[Body], last: int) -> dict[int, list[dict[str, Any]]]:
    """A run's events; the first round also has those before it, and the last what comes after it."""
    found: dict[int, list[dict[str, Any]]] = {}
    for body in bodies:
        now = last if body["event"] == "end" else max(1, body.get("round", 0))
        found.setdefault(now, []).append(dict(body))
    return found
