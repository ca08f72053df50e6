"""The page's sections: what is stored, and the replays of jobs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core import presets
from ldp_core.datasets.folders import BROUGHT
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Draft, parse, parse_draft
from ldp_core.runs import Desk, Job, Progress, describe, jobs, promises_bought, stored_ladder
from pages.parts.attack import words as attack
from pages.parts.attack.head import head
from pages.parts.attack.settings import setting_of
from pages.parts.attack.view import pictures
from pages.parts.charts.series import series
from pages.parts.start import hero
from pages.parts.still import bundle
from pages.parts.still.lessons import every, sentence
from pages.parts.still.stored import SCENARIO, stored
from pages.parts.train.attributes import of_rows
from pages.parts.train.server_panel import MOST_COLUMNS, uploads_in
from pages.parts.train.standings import standings
from pages.parts.ui.text import plain
from pages.parts.watch.trio import Pictured, chance_of, nothing_yet, trio

StillPart = dict[str, Any]
WORDS = {"play": "Play", "pause": "Pause", "rounds": "Round"}
FOUND = "What these runs came to, in words"
FOOT = (
    "Made by Epsilon Studio from stored results; nothing is trained here, and nothing is sent. The noise is "
    "simulation noise: reproducible, and no protection of real data."
)
UNDRAWN = "What follows is drawn by a script, which this browser does not run; one of this year does."
OWN = (
    "Your own budgets, data and attacks are trained and tried by the Studio itself: in a copy of the project "
    "`pip install .`, then `epsilon-studio`."
)
Body = Mapping[str, Any]
MOST_FRAMES = 60
"""Rounds of a long training that can be looked at: evenly many, the last among them."""


def page(ids: Sequence[str] = (), own: bool = False) -> str:
    """The page as HTML; replays of jobs come first. Raises StudioError: a job cannot be shown."""
    replays = [_job(identity, own) for identity in dict.fromkeys(ids)]
    parts = [*replays, _promises(), _ladder(), *([] if replays else [_training()]), _lessons(), _own()]
    for number, part in enumerate(parts):
        part.setdefault("id", f"part-{number + 1}")
    data = {"words": WORDS, "parts": parts}
    return bundle.page(hero.TITLE, hero.OPENING, FOOT, UNDRAWN, data)


def _promises() -> StillPart:
    found, drawn = promises_bought(), hero.data()
    if found is None or drawn is None:
        raise InvalidInput("the stored promises are missing from this installation")
    people, how, source = hero.said(found)
    return {
        "kind": "dissolve",
        "title": "What does ε buy?",
        "lead": sentence(f"{people}. {how}"),
        "data": {**drawn, "train": "Train and attack for yourself"},
        "more": [{"name": "Where these figures come from", "lines": [sentence(source)]}],
    }


def _ladder() -> StillPart:
    found = stored_ladder.stored_ladder()
    if found is None:
        raise InvalidInput("the stored attacks are missing from this installation")
    return _desk(found.desk, attack.ASKED, f"Stored on {found.date}.")


def _desk(desk: Desk, title: str, source: str = "") -> StillPart:
    ladder = desk.start["ladder"]
    base, dataset = parse(ladder["base"]), ladder["base"]["dataset"]
    setting = f"{plain(base.name, 60)}: {plain(setting_of(base, ladder['client'] - 1), 200)}. {source}"
    known = [f"{who}: {'; '.join(lines)}." for who, lines in attack.known(desk).items()]
    controls = [*attack.controls(desk), *attack.limits(desk), attack.PROVES]
    part = {
        "kind": "ladder",
        "title": title,
        "lead": sentence(attack.TRIES),
        "data": {**pictures(desk), "head": head(desk, live=False)},
        "more": [
            {"name": "How to read this", "lines": [sentence(attack.caption(desk)), sentence(setting)]},
            {"name": attack.KNOWS, "lines": [sentence(one) for one in known]},
            {"name": attack.CONTROLS, "lines": [sentence(one) for one in controls]},
        ],
    }
    return dict(of_rows(part, dataset))


def _training() -> StillPart:
    preset, kept = presets.get(SCENARIO), stored()
    drawn, found = replay(preset.draft, kept.events, True, "nothing was uploaded", completed=True)
    return {
        "kind": "replay",
        "title": f"{preset.label}, round by round",
        "lead": sentence(preset.question),
        "data": drawn,
        "says": [sentence(one) for one in preset.says],
        "more": [{"name": FOUND, "lines": [sentence(found)]}],
    }


def _lessons() -> StillPart:
    return {
        "kind": "lessons",
        "title": "Learn it step by step",
        "lead": sentence("Guess, see what happens, change one thing: some five minutes each."),
        "data": every(stored().changes),
    }


def _own() -> StillPart:
    return {"kind": "words", "id": "own", "title": "Run it yourself", "lead": sentence(OWN), "data": {}}


def _job(identity: str, own: bool) -> StillPart:
    """The replay of a training, or an attack's ladder."""
    job = jobs.look(identity)
    if job.kind not in ("run", "attack"):
        raise InvalidInput(f"job {job.id} is of the kind {job.kind}: trainings and attacks are replayed")
    if job.live:
        raise InvalidInput(f"job {job.id} has not ended: it is {job.status}")
    job, events = jobs.recorded(identity)
    if not own and (job.room or _dataset(job).startswith(BROUGHT)):
        raise InvalidInput(
            f"job {job.id} is on own data, whose samples the page would show: --own has them in it"
        )
    title = job.name or describe(job).name or "Untitled"
    if job.kind == "attack":
        desk = Desk.of_job(job).update()
        if not desk.cells:
            raise InvalidInput(f"job {job.id} ended before any cell was tried: it is {job.status}")
        return _desk(desk, title)
    draft, reference = parse_draft(job.request["draft"]), bool(job.request.get("reference"))
    each = [[one.body for one in events if one.run == run] for run in range(len(job.keys))]
    if not any(body["event"] == "round" for run in each for body in run):
        raise InvalidInput(f"job {job.id} ended before its first round: it is {job.status}")
    drawn, found = replay(draft, each, reference, nothing_yet(job, draft, []), job.status == "completed")
    return {
        "kind": "replay",
        "title": title,
        "lead": [],
        "data": drawn,
        "more": [{"name": FOUND, "lines": [sentence(found)]}] if found else [],
    }


def _dataset(job: Job) -> str:
    part = job.request["draft"] if job.kind == "run" else job.request["ladder"]
    return str(part["base"]["dataset"])


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
    words = " ".join(standings(shown, clean, chance_of(shown), stopped=not completed))
    return {"rounds": said, "frames": frames}, of_rows(words, draft.base.dataset)


def _by_round(bodies: Iterable[Body], last: int) -> dict[int, list[dict[str, Any]]]:
    """A run's events; the first round also has those before it, and the last what comes after it."""
    found: dict[int, list[dict[str, Any]]] = {}
    for body in bodies:
        now = last if body["event"] == "end" else max(1, body.get("round", 0))
        found.setdefault(now, []).append(dict(body))
    return found
