"""Choice of the compared runs, in the address (`?runs=JOB,JOB.VARIANT`), so that it can be shared.

For a sweep, the number of a setting replaces the variant's.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from ldp_core.runs import Job, page
from pages.parts.compare import cells
from pages.parts.runs.ticks import MOST, PARAMETER
from pages.parts.ui.text import ago
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.visitor import look, visitor

OFFERED = 60
"""Number of the latest jobs whose runs are offered."""
TOKEN = re.compile(r"([0-9a-f]{12})(?:\.(\d{1,4}))?")
KEY = "compared runs"
Chosen = tuple[str, int]
"""Id of a job, and number of its variant."""


def chosen() -> tuple[list[Chosen], list[str]]:
    """Jobs and variants in the address (a job alone: all its variants), and errors."""
    found, trouble = dict[Chosen, None](), list[str]()
    for text in filter(None, st.query_params.get(PARAMETER, "").split(",")):
        match = TOKEN.fullmatch(text.strip())
        job = _job(match[1]) if match else None
        if match is None or job is None:
            trouble.append(f"“{text[:24]}” is no run of this server (any more)")
            continue
        many = how_many(job)
        for number in range(many) if match[2] is None else [int(match[2])]:
            if number < many:
                found[job.id, number] = None
            else:
                trouble.append(f"run {number} is not among those of job {job.id}")
    if len(found) > MOST:
        trouble.append(f"more than {MOST} runs are named; the first {MOST} of them count")
    return list(found)[:MOST], trouble


def _job(identity: str) -> Job | None:
    with suppress(LookupError):
        return look(identity)
    return None


def how_many(job: Job) -> int:
    """Number of a training's variants or a sweep's settings; 0 for other or unreadable jobs."""
    sweep = cells.swept(job)
    return len(sweep.settings if sweep else variants(job))


def _offered(job: Job, now: Sequence[Chosen]) -> list[tuple[int, str]]:
    sweep = cells.swept(job)
    if sweep is None:
        return list(enumerate(variants(job)))
    every = range(len(sweep.settings)) if len(sweep.settings) <= cells.MOST_LISTED else ()
    numbers = dict.fromkeys([*every, *(number for identity, number in now if identity == job.id)])
    return [(number, cells.label(sweep, number)) for number in numbers]


def variants(job: Job) -> list[str]:
    """Labels of a training's variants; empty for other or unreadable jobs."""
    draft: Any = job.request.get("draft") if job.kind == "run" else None
    given = draft.get("variants") if isinstance(draft, Mapping) else None
    if not isinstance(given, list) or not given:
        return ["run"] if isinstance(draft, Mapping) else []
    return [str(one.get("label", "")) if isinstance(one, Mapping) else "" for one in given]


def name_of(job: Job) -> str:
    base = job.request.get("sweep" if job.kind == "sweep" else "draft", {}).get("base")
    return str(base.get("name") or "Untitled") if isinstance(base, Mapping) else "Untitled"


def _recent() -> list[Job]:
    """The latest jobs that this visitor may see; of equal ones one."""
    return [line.job for line in page(1, OFFERED, visitor().owner, most=OFFERED).lines]


def choose(now: list[Chosen], clock: float) -> None:
    offered = {job.id: job for job in _recent()}
    offered |= {identity: job for identity, _ in now if (job := _job(identity))}
    me, options = visitor(), dict[str, str]()
    for job in offered.values():
        alike = [one for one in offered.values() if name_of(one) == name_of(job)]
        mine = "yours" if job.owner and job.owner == me.owner else ""
        about = filter(None, (ago(clock - job.created) * bool(alike[1:]), mine))
        more = f" ({', '.join(about)})".replace(" ()", "")
        for number, label in _offered(job, now):
            options[f"{job.id}.{number}"] = f"{name_of(job)}: {label}{more}"
    shown = [token for token in (f"{job}.{number}" for job, number in now) if token in options]
    if st.session_state.get(KEY) != shown:
        st.session_state[KEY] = shown
    st.multiselect(
        "Runs",
        list(options),
        format_func=options.__getitem__,
        max_selections=MOST,
        key=KEY,
        on_change=_keep,
        placeholder="choose two or more runs",
    )


def newest() -> list[Chosen]:
    """Variants of the latest completed training with several; empty once the visitor emptied the list."""
    recent = [] if PARAMETER in st.query_params else _recent()
    job = next((job for job in recent if job.status == "completed" and len(variants(job)) > 1), None)
    return [(job.id, number) for number in range(len(variants(job)))][:MOST] if job else []


@uncut
def _keep() -> None:
    st.query_params[PARAMETER] = ",".join(st.session_state[KEY])
