"""All checks of a part, whatever its kind; here those of data sets, models and optimisers."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ldp_core import presets
from ldp_core.component import Component
from ldp_core.contract import parts
from ldp_core.contract.in_use import PartCheck, PartChecks, data_for, of_any, require
from ldp_core.contract.mechanism import of_mechanism
from ldp_core.contract.registries import REGISTRIES
from ldp_core.datasets import Data, Dataset, data_dir
from ldp_core.errors import InvalidInput, hint, shown
from ldp_core.models.base import Model
from ldp_core.optimizers import Optimizer
from ldp_core.presets import Preset
from ldp_core.streams import stream


def of_dataset(one: Dataset) -> PartChecks:
    def known() -> None:
        names = one.class_names
        require(len(names) == one.classes == len(set(names)) >= 2, f"{one.classes} classes called {names}")
        require(min(one.train_size, one.test_size) > 0, "no samples to train on, or none held out")
        require(bool(one.download) <= bool(one.files), "a download that lies nowhere")

    yield PartCheck("what a page says is known without loading anything", known)
    words = "samples are numbers, labels those of its classes, and both parts have all"
    yield PartCheck(words, lambda: held(one))


def held(one: Dataset, data: Data | None = None) -> None:
    """Check loaded data against a data set's declaration; raises `Broken`, or `DataUnavailable`."""
    data = data or one.load(data_dir())
    parts = (data.train_x, data.train_y, one.train_size), (data.test_x, data.test_y, one.test_size)
    for x, y, size in parts:
        require(x.shape == (size, *one.shape), f"samples of shape {x.shape}, not {(size, *one.shape)}")
        require(x.dtype == np.float32 and y.dtype == np.int64, f"numbers of kind {x.dtype}, labels {y.dtype}")
        require(np.isfinite(x).all(), "a value that is no number")
        require(set(np.unique(y)) == set(range(one.classes)), "labels that are not those of its classes")
    if one.images:
        low, high = float(data.train_x.min()), float(data.train_x.max())
        require((low, high) == (0, 1), f"pixels from {low:g} to {high:g}, not 0 to 1")


def of_model(one: Model) -> PartChecks:
    source = data_for(one)
    shape, classes = source.shape, source.classes
    size = one.dimension(shape, classes)

    def slices() -> None:
        for cut in (one.slices(shape, classes), one.layers(shape, classes)):
            ends = [0, *(each.stop for each in cut)]
            require([each.start for each in cut] == ends[:-1] and ends[-1] == size, "gaps between slices")

    def begins() -> None:
        a, b, c = (one.initial(shape, classes, stream(seed, "initial model")) for seed in (0, 0, 1))
        require(a.shape == (size,) and a.dtype == np.float32, f"{a.shape} numbers of kind {a.dtype}")
        require(np.isfinite(a).all(), "an initial weight that is no number")
        require(np.array_equal(a, b) and not np.array_equal(a, c), "initial weights do not follow the stream")

    def gradients() -> None:
        import torch

        start = one.initial(shape, classes, stream(0, "initial model"))
        weights = torch.from_numpy(np.stack([start, start + np.float32(0.01)])).double()
        draw = stream(0, "audit")
        x = torch.from_numpy(draw.random((2, 3, *shape)))
        y = torch.from_numpy(draw.integers(0, classes, (2, 3)))
        share = torch.full((2, 3), 1 / 3, dtype=torch.float64)
        views = one.views(weights, shape, classes)
        stated = one.gradients(views, x, y, share)
        for k in range(2):
            own: Any = {name: view[k].clone().requires_grad_() for name, view in views.items()}
            loss = torch.nn.functional.cross_entropy(one.scores(own, x[k]), y[k])
            for (name, _), truth in zip(own.items(), torch.autograd.grad(loss, [*own.values()]), strict=True):
                near = torch.allclose(stated[name][k], truth, rtol=1e-6, atol=1e-9)
                require(near, f"the gradient of {name} is not that of its scores")

    yield PartCheck("slices and layers cover the vector without gaps", slices)
    yield PartCheck("initial weights are finite and follow the stream", begins)
    yield PartCheck("gradients of many clients at once are those of one's scores", gradients)


def of_optimizer(one: Optimizer) -> PartChecks:
    def descends() -> None:
        import torch

        gradient = torch.tensor([[0.5, -2.0, 1e-3]])
        change = one.first_step(gradient, 0.1)
        require(bool((change * gradient < 0).all()), "a first step does not go downhill")
        weights = torch.ones(1, 3)
        one.step(weights, gradient, [torch.zeros(1, 3) for _ in range(one.memories)], 1, 0.1)
        same = torch.allclose(weights - 1, change, rtol=1e-4, atol=1e-6)
        require(same, f"a first step of {change}, taken {weights - 1}")

    yield PartCheck("a first step goes downhill, and is the one that it states", descends)


OWN: Mapping[str, Callable[[Any], PartChecks]] = {
    "mechanism": of_mechanism,
    "aggregator": parts.of_aggregator,
    "selection": parts.of_selection,
    "attacker": parts.of_attacker,
    "system": parts.of_system,
    "trust": parts.of_trust,
    "partition": parts.of_partition,
    "dataset": of_dataset,
    "model": of_model,
    "optimizer": of_optimizer,
}


def left_out(name: str) -> str:
    """Why a plug-in was not registered; "" if it was, or if no plug-in has this name."""
    presets.names()
    for registry in REGISTRIES.values():
        registry.names()
        if name in registry.refused:
            return registry.refused[name]
    return presets.refused.get(name, "")


def promises(part: str) -> PartChecks:
    """Checks of a part by name, or `KIND:NAME` if several kinds have it; raises `InvalidInput` if none."""
    kind, _, name = part.rpartition(":") if part not in REGISTRIES["dataset"].names() else ("", "", part)
    held = [one for one in REGISTRIES if name in REGISTRIES[one].names() and kind in ("", one)]
    for one in held:
        found: Component = REGISTRIES[one].get(name)
        yield from of_any(one, found)
        yield from OWN[one](found) if one in OWN else ()
    if not held and name in presets.names():
        yield from _of_preset(presets.get(name))
    elif not held:
        known = [name for registry in REGISTRIES.values() for name in registry.names()]
        raise InvalidInput(f"there is no part {shown(part)}{hint(part, [*presets.names(), *known])}")


def _of_preset(preset: Preset) -> PartChecks:
    def kept() -> None:
        require(preset.draft.experiments(), "it has no variants")

    def says() -> None:
        for text in (preset.label, preset.question, preset.lesson, preset.ask.text):
            require(text, "a text is missing")

    yield PartCheck("its base and variants are experiments", kept)
    yield PartCheck("it says what it is, asks and teaches", says)
