"""View of a job while it runs: status, headline and figures, three panels."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.errors import InvalidExperiment, StorageFailed
from ldp_core.experiment import Draft, parse_draft, plan
from ldp_core.runs import MOST_EVENTS, Job, Progress, progress_of, replay_of
from pages.parts.charts.series import Series, series
from pages.parts.clients.data_names import seen_of
from pages.parts.runs.job_state import amount, job_state
from pages.parts.runs.launching import results
from pages.parts.train.findings import held_back
from pages.parts.train.help import how_to_read
from pages.parts.train.server_panel import MOST_COLUMNS, UPLOADS, uploads_in
from pages.parts.ui import components
from pages.parts.ui.fields import switch
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.polling import pace, refreshing
from pages.parts.ui.shared_cache import PAUSE_SECONDS, Moment, look_again, once, watched
from pages.parts.ui.text import plain
from pages.parts.watch.trio import Pictured, expected_view, nothing_yet, trio


def live_view(
    draft: Draft,
    job: Job | None,
    own: bool = False,
    stale: bool = False,
    guess: float | None = None,
    open_question: bool = False,
) -> None:
    """A job, refreshed while it runs; or the prediction for the draft.

    Args:
        own: whether later jobs of the same draft replace it on this page.
        stale: whether the draft has changed since.
        guess: the visitor's guessed accuracy, in [0, 1].
        open_question: the visitor has not guessed yet, so no prediction is shown.
    """
    with results(stale):
        if job is None:
            refreshing(_before)(draft, guess, open_question)
        elif settings_of(job):
            every = pace() if job.live else None
            refreshing(_watch, every)(job.id, every, guess)
            look_again(job, own)


def _before(draft: Draft, guess: float | None, open_question: bool) -> None:
    """Expected curves in their final places, so that nothing moves at the start."""
    state, view = _lines()
    state.caption("Not trained yet", help=amount(draft))
    with view:
        how_to_read()
    nothing = expected_view(draft)
    expected = trio(draft, [], None, Pictured([]), empty=nothing, guess=guess, open_question=open_question)
    components.draw("panels", expected, key="panels")


def _lines() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Containers for a job's status and for view options, on one line."""
    with st.container(key="state-line"):
        state, view = st.columns([1, 1.15], vertical_alignment="center")
    place = view.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right")
    return state, place


def settings_of(job: Job, say: bool = True) -> Draft | None:
    """Draft that a job was launched with; None if it is invalid now, with a message on the page if `say`."""
    try:
        return once(("settings", job.id), lambda: parse_draft(job.request["draft"]))
    except InvalidExperiment as error:
        if say:
            words = plain(error_in_words(error), 300)
            st.error(f"This run cannot be shown, as its settings no longer fit: {words}.")
        return None


@dataclass(frozen=True)
class LiveView:
    job: Job
    draft: Draft
    progress: Progress
    shown: list[Series]
    reference: Series | None
    after: int | None = None
    """Round that the viewer has chosen; None for the last."""

    @property
    def moment(self) -> Moment:
        """Cache key of what is drawn."""
        return Moment(self.job.id, self.job.status, self.progress.seq)

    @property
    def state(self) -> str:
        """ "live", "completed" or "stopped"."""
        if self.after is not None:
            return "stopped"
        return "live" if self.job.live else "completed" if self.job.status == "completed" else "stopped"


def seen(identity: str, live: bool, say: bool = True) -> LiveView | None:
    """Displayed job, drawn while it was `live` or after its end; None, and a message if `say`, without."""
    job = watched(identity, live=live)
    if job is None:
        if say:
            st.info("This run has been deleted.")
        return None
    pace()  # viewers are counted; those who come later poll less often
    draft = settings_of(job, say)
    if draft is None:
        return None
    try:
        progress = progress_of(job).update(PAUSE_SECONDS if job.live else 0.0)
    except StorageFailed as error:
        if say:
            st.error(f"The record of this run is damaged: {plain(error_in_words(error), 300)}.")
        return None
    return LiveView(job, draft, progress, *series(progress, draft))


def _watch(identity: str, every: float | None, guess: float | None = None) -> None:
    """The part that refreshes itself; the whole page is redrawn when the job ends."""
    now = seen(identity, live=every is not None)
    if now is None:
        return
    job, draft, shown = now.job, now.draft, now.shown
    state, view = _lines()
    with state.container(gap=None):
        job_state(job, draft, now.progress)
    with view:
        then = _then(now)
        pictured = _pictured(draft, then.shown)
        how_to_read(shown)
    chosen = (pictured.upload, *(one.number for one in pictured.shown))
    # found once for all who look: to ask every attacker takes a sixth of the time of a look
    place = (job.id, job.status, job.removed)
    empty = once(("empty", *place), lambda: nothing_yet(job, draft, shown), now.moment)
    components.draw(
        "panels",
        once(
            ("panels", *place, chosen, empty, then.after, guess),
            lambda: components.packed(
                trio(draft, then.shown, then.reference, pictured, empty, then.state, guess)
            ),
            now.moment,
        ),
        key="panels",
    )
    gives = seen_of(draft.base.dataset) if then.state == "completed" else None
    if gives and gives.ceiling and (words := held_back(shown, now.reference, gives.ceiling)):
        st.info(words)


def _then(now: LiveView) -> LiveView:
    """State after the round that the viewer chose; the last by default."""
    last = now.progress.at()
    if now.job.live or last < 2 or now.progress.seq > MOST_EVENTS:
        return now
    after = st.slider(
        "Go back to an earlier round",
        1,
        last,
        last,
        format="round %d",
        key=f"round of {now.job.id}",
        label_visibility="collapsed",
        width=170,
    )
    if after == last:
        return now
    shown, reference = series(replay_of(now.job, after), now.draft)
    return replace(now, shown=shown, reference=reference, after=after)


def _pictured(draft: Draft, shown: list[Series]) -> Pictured:
    attacked = [one for one in shown if one.runs[0].tries or one.runs[0].frames]
    if not attacked:
        return Pictured([])
    kinds = uploads_in(attacked)
    # one image is attacked unless something else is asked for: who asks for more wants to see that
    upload = (
        kinds[0]
        if len(kinds) == 1
        else switch("Uploads shown", {kind: UPLOADS[kind] for kind in kinds}, "uploads shown", kinds[-1])
    )
    if len(attacked) <= MOST_COLUMNS:
        return Pictured(attacked, upload)
    # of all that will be attacked: which of them have been is another matter in every round
    noisy = {
        i: plan(one).randomiser.role != "identity"
        for i, one in enumerate(draft.experiments())
        if plan(one).spies
    }
    names = {i: draft.variants[i].label for i in noisy}
    with st.popover("Runs", help="Whose reconstructions are shown"):
        chosen = st.multiselect(
            "Runs whose reconstructions are shown",
            list(names),
            default=_first_shown(noisy),
            max_selections=MOST_COLUMNS,
            format_func=names.__getitem__,
            key="pictured",
            placeholder="choose up to three runs",
        )
    return Pictured([one for one in attacked if one.number in chosen], upload)


def _first_shown(noisy: Mapping[int, bool]) -> list[int]:
    """Variants that are shown initially: the last ones, or the noise-free one and the next."""
    exact = [number for number, noise in noisy.items() if not noise]
    if not exact:
        return list(noisy)[-MOST_COLUMNS:]
    others = [number for number in noisy if number not in exact]
    return sorted([*exact, *others][:MOST_COLUMNS])
