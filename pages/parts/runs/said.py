"""A job in words: request, status, progress."""

from typing import Any

import streamlit as st

from ldp_core.errors import StudioError
from ldp_core.experiment import Draft, plan
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.experiment.sweep import Sweep
from ldp_core.runs import STALLED, Job, Listed, Person, Training, how_far, kinds, queue
from pages.parts.systems.unlike import differing
from pages.parts.ui.scenario import preset_of
from pages.parts.ui.shared_cache import PAUSE_SECONDS
from pages.parts.ui.text import asked_in_words, few, number, runs_in_words, span

PAGES = {"run": "train.py", "attack": "attack.py", "sweep": "tune.py", "tune": "tune.py"}
"""Page of each kind of job; other kinds appear in lists only."""
MOST = 500
"""Number of jobs whose words are cached."""
SWEPT = {
    "clients.epsilon": "budgets ε",
    "clients.range": "safe ranges ±τ",
    "clients.count": "numbers of clients",
    "mechanism.name": "mechanisms",
    "aggregator.name": "aggregators",
    "target": "kinds of upload",
    "rounds": "numbers of rounds",
    "local.learning_rate": "learning rates",
}
"""Names of swept fields in the plural."""
MOST_ASKED = 3
"""Largest number of populations that are listed."""


@st.cache_data(max_entries=MOST, show_spinner=False)
def said(identity: str, _job: Job) -> kinds.Words:
    """Request in words, cached by job, as it never changes."""
    try:
        if _job.long:
            return _in_brief(_job)
        return in_words(_job.kind, kinds.get(_job.kind).parse(_job.request))
    except (StudioError, LookupError, TypeError):  # of a version that knew other fields
        return kinds.Words(str(kinds.get(_job.kind).base(_job.brief)["name"]))


def _in_brief(job: Job) -> kinds.Words:
    """Request of thousands of clients in words, without reading all of it."""
    base = kinds.get(job.kind).base(job.brief)
    rounds, clients = int(base["rounds"]), int(base["clients"]["count"])
    variants = job.brief.get("draft", {}).get("variants", [])
    each = f"{number(rounds, 6)} round{'s' if rounds > 1 else ''}"
    asked = f"{number(clients, 6)} clients, each with values of its own"
    return kinds.Words(str(base["name"]), each, few([str(one["label"]) for one in variants]), asked)


def in_words(kind: str, asked: Any) -> kinds.Words:
    """Request in words, for lists."""
    if isinstance(asked, Training):
        return _training(asked)
    words = kinds.get(kind).describe(asked)
    if isinstance(asked, Ladder):
        # its draft is what it trains, not what a visitor has edited: the name alone says where it is from
        return words._replace(size=_attacked(asked), compared=few([one.label for one in asked.mechanisms]))
    if not isinstance(asked, Sweep):
        return words
    over = ", ".join(f"{count} {SWEPT.get(path, path)}" for path, count in asked.counts.items())
    return kinds.Words(words.name, words.size, f"over {over}", words.asked)


def _training(asked: Training) -> kinds.Words:
    draft = asked.draft
    count = len(draft.runs())
    clean = len(asked.runs()) - count
    rounds = draft.lengths
    each = f"{span(rounds)} round{'s' if rounds[1] > 1 else ''}{' each' if count + clean > 1 else ''}"
    size = f"{runs_in_words(count + clean, clean)}, {each}"
    population = asked_in_words(draft.experiments())
    more = f"; or {len(population) - MOST_ASKED} more" if len(population) > MOST_ASKED else ""
    used = {plan(experiment).randomiser.label for experiment in draft.experiments()}
    compared = few([variant.label for variant in draft.variants])
    compared = f"{used.pop()}: {compared}" if len(used) == 1 else compared
    return kinds.Words(_named(draft), size, compared, "; or ".join(population[:MOST_ASKED]) + more)


def _attacked(ladder: Ladder) -> str:
    if ladder.upload == "real":
        return "an attack on a real upload"
    images, seen = ladder.images, ladder.rounds_observed
    if images == 1:
        return "an attack on one image" + (f", {seen} uploads" if seen > 1 else "")
    return f"an attack on {images} images, {seen if seen > 1 else 'one'} upload{'s' if seen > 1 else ''} each"


def _named(draft: Draft) -> str:
    """Name of the draft's scenario, and the first change to it."""
    preset = preset_of(draft)
    if preset is None or preset.draft == draft:
        return draft.base.name
    return f"{draft.base.name}: {few(differing(preset.draft.as_json(), draft.as_json()), 1) or 'edited'}"


def state(one: Listed) -> str:
    job = one.job
    if job.status == "queued" and not job.message:
        before = _places().get(job.id, 0)
        return f"queued, {before} before it" if before else "queued"
    far = how_far(job) if job.status in ("running", "cancelling", STALLED) else None
    if far:
        return f"{one.state}, {far.step}"
    return one.state.replace("cancelled", "stopped", 1)


def marks(one: Listed, me: Person) -> list[str]:
    """Further properties of a job, in words."""
    job = one.job
    whose = "yours" if job.owner and job.owner == me.owner else ""
    known = {"pinned": job.pinned, "imported": job.imported, "listed for you alone": bool(job.room)}
    return [*(words for words, so in known.items() if so), *([whose] if whose and not job.room else [])]


@st.cache_data(ttl=PAUSE_SECONDS, show_spinner=False)
def _places() -> dict[str, int]:
    return queue.places()
