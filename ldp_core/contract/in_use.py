"""What a check is, and the checks of every part: its descriptions exist, and an experiment with it trains."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ldp_core import datasets, models
from ldp_core.attacks import Reconstructor
from ldp_core.component import Component
from ldp_core.datasets import Dataset, data_dir
from ldp_core.experiment import Experiment, parse, plan
from ldp_core.simulate import simulate

HEAVY = "import sys; from ldp_core.contract.registries import REGISTRIES as r; r[{kind!r}].names(); "
HEAVY += "print(*sorted({{'torch', 'sklearn'}} & set(sys.modules)))"
FEW = {"rounds": 2, "clients": {"count": 5, "epsilon": 4}, "local": {"epochs": 1}}


class Broken(AssertionError):
    """A part failed a check; the message has the figures."""


class PartCheck(NamedTuple):
    words: str
    check: Callable[[], None]
    """The check; raises `Broken`, or whatever the part raises."""


PartChecks = Iterator[PartCheck]


def require(kept: object, words: str) -> None:
    if not kept:
        raise Broken(words)


def of_any(kind: str, one: Component) -> PartChecks:
    def says() -> None:
        for word in ("label", "summary"):
            require(getattr(type(one), word, ""), f"it has no {word}")
        require(one.summary.endswith("."), "its summary is no sentence: it ends without a full stop")

    def light() -> None:
        command = [sys.executable, "-c", HEAVY.format(kind=kind)]
        found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
        require(not found, f"{' and '.join(found)} is imported with it: import it inside its functions")

    def trains() -> None:
        runs = [_trained(experiment) for _ in range(2) for experiment in _asked(kind, one)]
        half = len(runs) // 2
        require(runs[:half] == runs[half:], "the same experiment and seed end in other figures")

    yield PartCheck("it says what it is", says)
    yield PartCheck("a page that lists it loads neither torch nor scikit-learn", light)
    yield PartCheck("an experiment with it trains, and the same seed gives the same figures", trains)


def data_for(one: Any) -> Dataset:
    """A data set that the model accepts, preferably on this machine."""
    fitting = [each for each in map(datasets.get, datasets.names()) if one.fits(each.shape)]
    return min(fitting, key=lambda each: (not each.there(data_dir()), each.order))


def _asked(kind: str, one: Component) -> list[Experiment]:
    name: Any = one.name
    if kind == "attacker":
        if not isinstance(one, Reconstructor):
            return [parse(FEW | {"attack": "auto"})]
        few = {"name": name, "iterations": 3} if "iterations" in type(one).model_fields else name
        return [parse(FEW | _fitting(one) | {"attack": {"attacker": few}})]
    if kind == "server":
        in_sum = {"trust": "secure_sum", "target": "update", "clients": {"count": 5, "epsilon_scope": "run"}}
        return [parse(FEW | in_sum | {"model": "mlp", "attack": {"uploads": "real", "server": name}})]
    if kind == "optimizer":
        return [parse(FEW | {"local": {"optimizer": name, "epochs": 1}, "attack": None})]
    if kind == "model":
        return [parse(FEW | {"model": name, "dataset": data_for(one).name, "attack": None})]
    if kind == "dataset":
        return [parse(FEW | {"dataset": name, "attack": None})]
    if kind == "system":
        return [parse({"system": name, "dataset": "digits", "rounds": 2, "attack": None})]
    if kind == "trust":
        return [promised(name)]
    return [parse(FEW | {kind: name, "attack": None})]


def promised(name: str) -> Experiment:
    """Experiment under a trust, of twenty clients with ε 2 for the whole run."""
    clients = {"count": 20, "epsilon": 2.0, "epsilon_scope": "run", "range": 0.1}
    return parse({"rounds": 2, "target": "update", "clients": clients, "trust": name, "attack": None})


def _fitting(one: Reconstructor) -> dict[str, Any]:
    """Model and settings of uploads that the attacker can attack."""
    source = datasets.get("digits")
    names = ("logistic_regression", "mlp", *models.names())
    able = (
        name
        for name in names
        if (model := models.get(name)).fits(source.shape)
        and not one.unfit(model, source.shape, source.classes)
    )
    return {"model": next(able), "dataset": "digits"}


def _trained(experiment: Experiment) -> list[dict[str, Any]]:
    """Events of a run, without durations."""
    import torch

    data = plan(experiment).source.load(data_dir())
    found = [event.as_json() for event in simulate(experiment, data, torch.device("cpu"))]
    require(found[-1]["status"] == "completed", f"it ends {found[-1]['status']}: {found[-1]['message']}")
    return [{name: one for name, one in event.items() if name != "seconds"} for event in found]
