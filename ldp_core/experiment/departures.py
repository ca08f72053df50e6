"""What of an experiment was changed away from the paper whose system it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from ldp_core.errors import shown
from ldp_core.experiment.filling import GROUPS, KEYS
from ldp_core.experiment.modes import EPSILON_MODES, RANGE_MODES
from ldp_core.experiment.reading import parse
from ldp_core.experiment.schema import Experiment
from ldp_core.systems import System


@dataclass(frozen=True)
class Departure:
    field: str
    paper: Any
    now: Any
    printed: bool = True
    """False where the paper leaves the value open, and `paper` is what stands for it here."""

    def __str__(self) -> str:
        theirs = "there" if self.printed else "which the paper leaves open; here it is usually"
        return f"{self.field} is {shown(self.now)}, {theirs} {shown(self.paper)}"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def departures(experiment: Experiment) -> tuple[Departure, ...]:
    """Each field that the paper sets and that stands otherwise; none where there is no system.

    What the paper tries beside its main setting is no departure, nor is a mode written out as numbers.
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
    """The main setting of the paper whose system an experiment runs, as printed, on the paper's data.

    The system's parameters are the experiment's own where the paper has them, such as another case.

    Raises:
        ValueError: there is no system.
    """
    system = experiment.system
    if system is None:
        raise ValueError("an experiment without a system has no paper")
    changed = {one.field: one.paper for one in departures(experiment)}
    own = {name: changed.get(f"system.{name}", value) for name, value in system.parameters().items()}
    return _filled(system, own, type(system)(**own).fill(system.papers_data(experiment.dataset)))


def _filled(system: System, own: Mapping[str, Any], sets: Mapping[str, Any]) -> Experiment:
    """What a system with some parameters makes of an experiment on the data of its paper, as printed."""
    given = {"form": "as_printed", "system": {"name": system.name, **own}}
    return parse(given | {key: sets[key] for key in ("dataset",) if key in sets})


def _unlike(paper: Mapping[str, Any], now: Mapping[str, Any], path: str = "") -> Iterator[Departure]:
    """Leaf by leaf; a part of another name is one departure, whatever its parameters."""
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
    """Whether it is another of the paper's own values."""
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
