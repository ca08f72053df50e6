"""A draft's system: choice, form, departures from its paper, and the return to the paper's setting."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from ldp_core import systems
from ldp_core.errors import shown
from ldp_core.experiment.draft import Draft, Variant
from ldp_core.experiment.filling import GROUPS, KEYS
from ldp_core.experiment.modes import EPSILON_MODES, RANGE_MODES
from ldp_core.experiment.overrides import changed
from ldp_core.experiment.reading import parse
from ldp_core.experiment.schema import Experiment
from ldp_core.systems import System

BOTH = "both"
FORMS = ("as_printed", "corrected")
ALONE = "run"


@dataclass(frozen=True)
class Departure:
    field: str
    paper: Any
    now: Any
    printed: bool = True
    """False if the paper does not state the value, and `paper` is this program's choice."""

    def __str__(self) -> str:
        theirs = "there" if self.printed else "which the paper leaves open; here it is usually"
        return f"{self.field} is {shown(self.now)}, {theirs} {shown(self.paper)}"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def departures(experiment: Experiment) -> tuple[Departure, ...]:
    """Fields that differ from the paper's main setting; empty without a system. Other values that the paper
    tries are no departures, nor is a mode written out as numbers.
    """
    system = experiment.system
    if system is None:
        return ()
    theirs = system.fill(system.papers_data(experiment.dataset))
    paper = _filled(system, system.parameters(), theirs).as_json()
    now, also = experiment.as_json(), system.also(str(paper["dataset"]))
    named = {key: paper[key] for key in theirs} | {"form": paper["form"]}
    named |= {key: {own: paper[key][own] for own in theirs[key]} for key in GROUPS if key in theirs}
    own = {"name": system.name, **type(system)().parameters()}
    found = [*_unlike(named, now), *_unlike({"system": own}, now)]
    return tuple(
        replace(one, printed=one.field not in system.left_open)
        for one in found
        if not _in_paper(one, also, experiment)
    )


def paper_of(experiment: Experiment) -> Experiment:
    """Main setting of the paper of the experiment's system, as printed, on the paper's data. A parameter of
    the system keeps the experiment's value where the paper tries that value. Raises ValueError: the
    experiment has no system.
    """
    system = experiment.system
    if system is None:
        raise ValueError("an experiment without a system has no paper")
    away = {one.field: one.paper for one in departures(experiment)}
    own = {name: away.get(f"system.{name}", value) for name, value in system.parameters().items()}
    return _filled(system, own, type(system)(**own).fill(system.papers_data(experiment.dataset)))


def _filled(system: System, own: Mapping[str, Any], sets: Mapping[str, Any]) -> Experiment:
    """Experiment of a system with the paper's data and settings, as printed."""
    given = {"form": "as_printed", "system": {"name": system.name, **own}}
    return parse(given | {key: sets[key] for key in ("dataset",) if key in sets})


def _unlike(paper: Mapping[str, Any], now: Mapping[str, Any], path: str = "") -> Iterator[Departure]:
    """Differences between two JSON objects, field by field; a part of another name is one difference."""
    for key, value in paper.items():
        field, there = f"{path}{key}", now.get(key)
        if key == "range" and there is None:
            there = {"low": now.get("low"), "high": now.get("high")}
        if isinstance(value, Mapping) and isinstance(there, Mapping):
            naming = next((name for name in KEYS if name in value), None)
            if naming and value[naming] != there.get(naming):
                yield Departure(f"{field}.{naming}", value[naming], there.get(naming))
            else:
                yield from _unlike(value, there, f"{field}.")
        elif value != there:
            yield Departure(field, value, there)


def _in_paper(one: Departure, also: Mapping[str, tuple[Any, ...]], experiment: Experiment) -> bool:
    """Whether the paper tries this value as well."""
    values = (one.paper, *also.get(one.field, ()))
    if one.now in values:
        return True
    clients = experiment.clients
    low, high = clients.bounds()
    if one.field == "clients.epsilon":
        dealt, modes = clients.budgets(), EPSILON_MODES
    elif one.field == "clients.range" and bool((low == -high).all()):
        dealt, modes = high, RANGE_MODES
    else:
        return False
    theirs = (modes[v].deal(clients.count) if isinstance(v, str) else v for v in values)
    return any(bool((dealt == value).all()) for value in theirs)


def with_system(draft: Draft, name: str | None) -> Draft:
    """Draft with one run of a system on the draft's data, all other fields set by the system; None removes
    the system and keeps the fields it set. Raises InvalidExperiment: the system cannot use these data.
    """
    base = draft.base
    if name is None:
        own = ({k: v for k, v in one.set.items() if k.split(".")[0] != "system"} for one in draft.variants)
        kept = tuple(replace(one, set=sets) for one, sets in zip(draft.variants, own, strict=True))
        return replace(draft, base=changed(base, {"system": None}), variants=kept)
    given = {"dataset": base.dataset, "seed": base.seed} | ({} if base.attack else {"attack": None})
    label = systems.registry.kind(name).label
    return replace(
        draft, base=parse(given | {"system": name, "name": f"{label}, your own"}), variants=(Variant(label),)
    )


def back_to_paper(draft: Draft) -> Draft:
    """Draft with one run in the main setting of the system's paper."""
    paper = paper_of(draft.base)
    kept = {"seed": draft.base.seed, "name": draft.base.name}
    kept |= {} if draft.base.attack else {"attack": None}
    label = paper.system.label if paper.system else ALONE
    return replace(draft, base=changed(paper, kept), variants=(Variant(label),))


def form_of(draft: Draft) -> str | None:
    """Form of a draft's runs; BOTH if one run has each; None if variants set the form otherwise."""
    own = [dict(one.set) for one in draft.variants]
    if own == [{"form": form} for form in FORMS]:
        return BOTH
    return None if any("form" in sets for sets in own) else draft.base.form


def with_form(draft: Draft, form: str) -> Draft:
    """The draft's runs in a form; with BOTH, two runs that differ in form replace the variants."""
    if form == BOTH:
        each = tuple(Variant(one.replace("_", " "), {"form": one}) for one in FORMS)
        return replace(draft, variants=each)
    runs = draft.variants
    if form_of(draft) == BOTH:
        runs = (Variant(draft.base.system.label if draft.base.system else ALONE),)
    return replace(draft, base=changed(draft.base, {"form": form}), variants=runs)
