"""A draft under another system, in another form, or back at the settings of the system's paper."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ldp_core import systems
from ldp_core.experiment.departures import paper_of
from ldp_core.experiment.draft import Draft, Variant
from ldp_core.experiment.overrides import changed
from ldp_core.experiment.reading import parse

BOTH = "both"
FORMS = ("as_printed", "corrected")
ALONE = "run"


def with_system(draft: Draft, name: str | None) -> Draft:
    """One run of a system on the draft's own data, where the system fills everything else; None leaves the
    system and keeps what it has filled.

    Raises:
        InvalidExperiment: the system cannot use those data.
    """
    base = draft.base
    if name is None:
        kept = tuple(replace(one, set=_without_system(one.set)) for one in draft.variants)
        return replace(draft, base=changed(base, {"system": None}), variants=kept)
    given = {"dataset": base.dataset, "seed": base.seed} | ({} if base.attack else {"attack": None})
    label = systems.registry.kind(name).label
    return replace(
        draft, base=parse(given | {"system": name, "name": f"{label}, your own"}), variants=(Variant(label),)
    )


def back_to_paper(draft: Draft) -> Draft:
    """One run with the settings of the system's paper, on its data where the draft's are others."""
    paper = paper_of(draft.base)
    kept = {"seed": draft.base.seed, "name": draft.base.name}
    kept |= {} if draft.base.attack else {"attack": None}
    label = paper.system.label if paper.system else ALONE
    return replace(draft, base=changed(paper, kept), variants=(Variant(label),))


def form_of(draft: Draft) -> str | None:
    """The form of a draft's runs; BOTH for one run in each; None where runs set their own otherwise."""
    own = [dict(one.set) for one in draft.variants]
    if own == [{"form": form} for form in FORMS]:
        return BOTH
    return None if any("form" in sets for sets in own) else draft.base.form


def with_form(draft: Draft, form: str) -> Draft:
    """The draft's runs in a form; with BOTH, one run in each form in the place of what was compared."""
    if form == BOTH:
        each = tuple(Variant(one.replace("_", " "), {"form": one}) for one in FORMS)
        return replace(draft, variants=each)
    runs = draft.variants
    if form_of(draft) == BOTH:
        runs = (Variant(draft.base.system.label if draft.base.system else ALONE),)
    return replace(draft, base=changed(draft.base, {"form": form}), variants=runs)


def _without_system(sets: Any) -> dict[str, Any]:
    return {path: value for path, value in sets.items() if path.split(".")[0] != "system"}
