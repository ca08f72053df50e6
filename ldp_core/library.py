"""Runs from a program or notebook, in its own process; nothing is written except downloaded data."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_core import accounting
from ldp_core.component import Component
from ldp_core.datasets import quiet
from ldp_core.errors import InvalidExperiment, Problem, hint, one_of, shown
from ldp_core.experiment import PER, Experiment, amended, parse, plan
from ldp_core.experiment.reading import by_short, part_of, whose
from ldp_core.limits import at_most, number
from ldp_core.system import private_files
from ldp_core.tuning.needs import parse_needs

if TYPE_CHECKING:
    import pandas as pd

TOP = Experiment.model_fields
FEW = 10
"""Number of held-out samples below which it is said."""
SCOPES: dict[accounting.Scope, str] = {
    "coordinate": PER["coordinate"],
    "upload": PER["upload"],
    "run_worst": f"{PER['run']} at worst",
}


def run(
    experiment: Experiment | Mapping[str, Any] | None = None,
    /,
    settings: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Result:
    """Train an experiment, by default the default one, in this process and return its result. Fields are set
    by their short names (`epsilon` for `clients.epsilon`), or by dotted ones in `settings` where these are
    ambiguous. Raises InvalidExperiment: a name is unknown or ambiguous, or a value is wrong; StudioError: the
    data are unavailable.
    """
    chosen = asked(experiment, settings or {}, fields)
    from ldp_core.runs.lockstep import drive

    with private_files.unwritten():
        return Result(chosen, [event for turn in drive({0: chosen}) for event in turn.events])


def ask(**needs: Any) -> dict[str, Any]:
    """Answer to a question of one's own: the design that learns best under a promise (`epsilon`, for all that
    a client sends), or the least ε that reaches an `accuracy` (a share), with what would have to change.
    Other names as in `ldp_core.tuning.needs.Needs`. Raises InvalidExperiment: a name or value is wrong.
    """
    from ldp_core.runs.kinds.ask import designed
    from ldp_core.runs.view.cells import points_of
    from ldp_core.tuning.said import answered

    with private_files.unwritten():
        chosen = parse_needs({"levers": True, **needs})
        guessing, *events = designed(chosen, [], quiet)
        told = next((one["right"] for one in events if one["event"] == "told"), None)
        return answered(chosen, points_of(events), guessing["chance"], told)


def asked(base: Any, settings: Mapping[str, Any], fields: Mapping[str, Any]) -> Experiment:
    """Experiment `base` with `settings` (dotted names) and `fields` (short names). Raises InvalidExperiment:
    a name is unknown or ambiguous, or a value is wrong.
    """
    whole = {name: value for name, value in fields.items() if name in TOP}
    dotted = whole | dict(settings) | {name: value for name, value in fields.items() if "." in name}
    short = {name: value for name, value in fields.items() if name not in dotted}
    twice = [name for name in settings if name in fields]
    changes = {name: _plain(name, value) for name, value in dotted.items()}
    start = {} if base is None else base
    # what the chosen parts have in common with all others is named first: the rest depends on it
    fixed = by_short(("clients", "local"), parse({}))
    early = {fixed[name][0]: _plain(name, short[name]) for name in short if len(fixed.get(name, ())) == 1}
    chosen = amended(start, changes | early)
    known, wrong = by_short(TOP, chosen), list[Problem]()
    for name, value in short.items():
        paths = known.get(name, [])
        if len(paths) == 1:
            twice += [path for path in paths if path in changes]
            changes[paths[0]] = _plain(name, value)
        elif paths:
            message = f"could be {one_of(paths)}; write settings={{{paths[0]!r}: …}}"
            wrong.append(Problem(name, message))
        else:
            wrong.append(Problem(name, f"is not a field here{whose(name) or hint(name, [*TOP, *known])}"))
    wrong += [Problem(name, "is set twice; which of the two is meant?") for name in twice]
    if wrong:
        raise InvalidExperiment(wrong)
    return amended(start, changes)


def _plain(path: str, value: Any) -> Any:
    """JSON value of a Python value: numpy's numbers and arrays as Python's, a part by name and parameters."""
    if isinstance(value, Mapping):
        return {name: _plain("", one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain("", one) for one in value]
    if isinstance(value, Component):
        return _described(path, value)
    if isinstance(value, str) and (part := part_of(TOP.get(path))):
        return {part.key: value}
    return value.tolist() if hasattr(value, "tolist") else value


def _described(path: str, value: Component) -> Any:
    part = part_of(TOP.get(path))
    if getattr(value, "form", "corrected") != "corrected":
        message = f"takes no form; write form={shown(getattr(value, 'form', None))} beside {value.name!r}"
        raise InvalidExperiment.at(path, message)
    registered = part is not None and part.registry.holds(type(value))
    return {part.key: value.name, **value.parameters()} if registered else value


@dataclass(frozen=True, repr=False)
class Result:
    """Result of an ended run."""

    experiment: Experiment
    events: list[dict[str, Any]]
    """All events of the run, as `python -m ldp_core run` prints them."""

    @property
    def status(self) -> str:
        return str(self.events[-1]["status"])

    @property
    def accuracy(self) -> float:
        """Accuracy on the held-out samples after the last round, in [0, 1]."""
        return float(self.events[-1]["accuracy"])

    @cached_property
    def rounds(self) -> pd.DataFrame:
        """Accuracy, loss and measured figures of each round, from the untrained model in round 0."""
        return self._table("start", "round").set_index("round")[["accuracy", "loss", *self._measured]]

    @cached_property
    def attacks(self) -> pd.DataFrame:
        """A row per attempt of the attacker, without images."""
        return self._table("attack")

    @cached_property
    def ledger(self) -> list[dict[str, Any]]:
        return accounting.ledger(self.experiment)

    @cached_property
    def measured(self) -> pd.DataFrame:
        """Lower bounds on ε that the attack showed, a row per attacked client and scope; empty if none."""
        import pandas as pd

        return pd.DataFrame(self.events[-1].get("measured", []))

    @property
    def _measured(self) -> list[str]:
        done: Mapping[str, Any] = next((one for one in self.events if one["event"] == "round"), {})
        numbers = [name for name, value in done.items() if isinstance(value, int | float)]
        return [name for name in numbers if name not in ("round", "accuracy", "loss")]

    def _table(self, *kinds: str) -> pd.DataFrame:
        import pandas as pd

        plain = (str, int, float, type(None))
        return pd.DataFrame(
            {name: value for name, value in one.items() if name != "event" and isinstance(value, plain)}
            for one in self.events
            if one["event"] in kinds
        )

    @cached_property
    def _found(self) -> str:
        asked, end = self.experiment, self.events[-1]
        noise = "no noise" if plan(asked).randomiser.role == "identity" else plan(asked).randomiser.label
        model = asked.model.title if asked.model.given_by else asked.model.name
        how = "" if self.status == "completed" else f"{self.status} after "
        few = f" of {end['held_out']} held-out samples" if end["held_out"] < FEW else ""
        return (
            f"{asked.dataset}, {model}, {asked.clients.count} clients, {noise}: "
            f"{how}{end['round']} round{'s' if end['round'] != 1 else ''}, accuracy {self.accuracy:.1%}{few}"
        )

    @cached_property
    def _promised(self) -> str:
        entry = max(accounting.entries(plan(self.experiment)), key=lambda entry: entry.run_worst.bound)
        if not entry.run_worst.guarantee:
            return f"promises nothing: no guarantee for the run, {entry.run_worst.why}"
        parts = [
            f"{at_most(entry[scope].bound, 4)} {words} (δ {number(entry[scope].delta, 6)})"
            for scope, words in SCOPES.items()
            if entry[scope].guarantee
        ]
        found = accounting.worth(entry.run_worst)
        more = accounting.together_in_words(entry, lambda bound: at_most(bound, 4))
        also = f"; {more}" if more else ""
        return (
            f"{found.promises}: ε of {accounting.of_whom(entry.unit, 'the client promised least')}, against "
            f"{accounting.AGAINST[entry.against]}: {', '.join(parts)}; who has to tell two of its values "
            f"apart is right {found.odds}{also}"
        )

    def __repr__(self) -> str:
        message = self.events[-1]["message"]
        return "\n".join(filter(None, (self._found, message, self._promised)))

    def _repr_html_(self) -> str:
        """The words, and the curve of accuracy over rounds as SVG."""
        from ldp_core.runs.carry.drawing import Curve, drawn

        share = self.rounds["accuracy"].to_numpy(np.float64)
        words = "".join(f"<div>{html.escape(line)}</div>" for line in repr(self).splitlines())
        return words + drawn("accuracy by round", [Curve("accuracy", share, share, share)], True)
