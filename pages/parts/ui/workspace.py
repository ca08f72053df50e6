"""The draft that every page edits, and the opening of links: own drafts, shared ones, settings in an address.

A draft's id is in the URL (`?draft=…`), its revisions in a database, so it survives reloads and page changes.
Opening a shared link (`?share=…`), or settings in a link (`?settings=…`), makes a private copy.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import streamlit as st

from ldp_core import mechanisms, presets
from ldp_core.errors import InvalidExperiment, NotYours, Problem, StorageFailed, StudioError, UnknownDraft
from ldp_core.experiment import Draft, checked, with_fit
from ldp_core.experiment.conflicts import LABELLED
from ldp_core.runs import carry, drafts, own_data
from pages.parts.ui.components import introduce
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.memory import PageState, tab
from pages.parts.ui.scenario import named, preset_of
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import here, me, token, visitor


class Workspace:
    """A visitor's draft during one script run."""

    def __init__(self, identity: str, draft: Draft, page: str = "") -> None:
        self.id, self.draft, self.page = identity, draft, page

    def key(self, name: str, page: str = "") -> str:
        """Widget key, unique to draft and page, since with equal keys two pages would share a widget's state;
        changed when the draft is replaced, so that widgets start anew.
        """
        return f"{name}-{page or self.page}-{self.id}-{tab().generation}"

    @cached_property
    def typed(self) -> dict[str, Any]:
        """Stored values of widgets outside the draft."""
        return drafts.typed_of(self.id)

    @property
    def varied(self) -> set[str]:
        """Dotted names of the fields in which the draft's variants differ from its base."""
        return {path for variant in self.draft.variants for path in variant.set}

    def edit(self, changes: Mapping[str, Any]) -> tuple[Problem, ...]:
        """Set fields of the base; returns problems, and then changes nothing."""
        return self.change(lambda draft: draft.with_base(with_fit(draft.base, changes)))

    def change(self, change: Callable[[Draft], Draft]) -> tuple[Problem, ...]:
        """Change the draft as it is stored now; returns problems, and then changes nothing."""
        try:
            self.draft = drafts.update(self.id, lambda draft: checked(change(draft)))
        except InvalidExperiment as error:
            return error.problems
        except (UnknownDraft, StorageFailed) as error:
            return (Problem("", error_in_words(error)),)
        return ()

    def renew(self, change: Callable[[Draft], Draft]) -> tuple[Problem, ...]:
        """Change the draft and discard the page's invalid values."""
        problems = self.change(change)
        if not problems:
            _start_widgets_afresh()
        return problems

    def replace(self, draft: Draft) -> None:
        """Replace the draft, as one change that can be undone."""
        self.renew(lambda _: draft)
        drafts.keep_ladder(self.id, None)  # it was the other one's
        drafts.forget_typed(self.id)

    def undo(self) -> None:
        if drafts.undo(self.id):
            _start_widgets_afresh()

    @property
    def preset(self) -> presets.Preset | None:
        return preset_of(self.draft)


def open_workspace(page: str) -> Workspace:
    """Workspace of the draft in the URL, else of the one this visitor had open, else of a new default one."""
    workspace = _opened()
    workspace.page = page
    preset = workspace.preset
    prepared = preset is not None and preset.draft == workspace.draft
    introduce(token(), keep={"id": workspace.id, "name": named(workspace.draft), "prepared": prepared})
    return workspace


def arrive(page: str) -> None:
    """After a page change widgets start from the draft, as Streamlit drops their values."""
    now = tab()
    if now.shown != page:
        now.shown, now.visit, now.page = page, now.visit + 1, PageState()


def _opened() -> Workspace:
    params = st.query_params
    for name, opens in OPENS.items():
        if name in params:
            return opens(params[name])
    identity = params.get("draft") or tab().draft
    draft = drafts.load(identity)
    if draft is None or _is_of_another(draft):
        if "draft" in params:
            _say("That draft is not on this server (any more); here is the default one.")
        draft = first().draft
        identity = drafts.new(draft, me(), here())
    _remember(identity)
    return Workspace(identity, draft)


def _is_of_another(draft: Draft) -> bool:
    """Whether a draft uses a data set that another visitor uploaded."""
    try:
        own_data.room_for(
            [draft.base.dataset, *(v.set.get("dataset") for v in draft.variants)], visitor().owner
        )
    except NotYours:
        return True
    return False


def first() -> presets.Preset:
    """The scenario that a visitor begins with."""
    return presets.get(presets.names()[0])


def start_with(draft: Draft) -> Workspace:
    if _is_of_another(draft):
        _say("Those settings name another visitor's own data; here is the default experiment.")
        draft = first().draft
    identity = drafts.new(draft, me(), here())
    _remember(identity)
    _start_widgets_afresh()
    return Workspace(identity, draft)


def offer_first() -> None:
    """Button that opens the first scenario on Train, for an empty page."""
    if st.button(f"Open “{first().label}”", type="primary"):
        start_with(first().draft)
        st.switch_page("train.py")


def _prepared(scenario: str) -> Workspace:
    if scenario not in presets.names():
        _say(f"There is no scenario “{plain(scenario, 40)}”; here is the first one.")
        return start_with(first().draft)
    return start_with(presets.get(scenario).draft)


def _using(mechanism: str) -> Workspace:
    def draft() -> Draft:
        more = LABELLED if mechanisms.get(mechanism).labelled else {}
        return first().draft.with_base({"mechanism.name": mechanism, **more})

    return start_with(_or_default(draft))


def _copy_of(snapshot: str) -> Workspace:
    draft, ladder = drafts.snapshot(snapshot), drafts.ladder_of(snapshot)
    if draft is None:
        _say("That link leads to nothing on this server; here is the default experiment.")
        return start_with(first().draft)
    st.toast(COPIED)
    copy = start_with(draft)
    if ladder:
        drafts.keep_ladder(copy.id, ladder)
    return copy


def _brought(settings: str) -> Workspace:
    """Workspace of the draft encoded in the link."""

    def draft() -> Draft:
        found = checked(carry.of_link(settings))
        st.toast(COPIED)
        return found

    return start_with(_or_default(draft))


def _or_default(read: Callable[[], Draft]) -> Draft:
    try:
        return read()
    except StudioError as error:
        _say(f"{plain(error_in_words(error), 200)}. Here is the default experiment.")
        return first().draft


OPENS = {"share": _copy_of, "scenario": _prepared, "mechanism": _using, "settings": _brought}
"""What opens a draft, by the parameter of the address; the first one counts."""
COPIED = "This is your own copy: what you change here changes nobody else's."


def _say(words: str) -> None:
    """Toast that stays until a slow page is drawn."""
    st.toast(words, duration="long")


def _remember(identity: str) -> None:
    if tab().draft != identity:
        tab().draft = identity
        _start_widgets_afresh()
    if st.query_params.to_dict() != {"draft": identity}:
        st.query_params.from_dict({"draft": identity})  # in one step: each is one for the browser's Back


def _start_widgets_afresh() -> None:
    """Replace all widgets of the page, and drop their errors."""
    tab().generation += 1
    tab().page = PageState()
