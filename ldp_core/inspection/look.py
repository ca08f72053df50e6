"""An upload from elsewhere as understood before it is attacked: its arrays, the card that they prove, and
what they leave open.
"""

from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets import Seen
from ldp_core.errors import InvalidInput, shown
from ldp_core.inspection.arrays import Arrays
from ldp_core.inspection.layout import GROUPS, grouped, statistics, ungrouped
from ldp_core.limits import number, spelled
from ldp_core.models.base import Shape

RANK = 1e-2
"""Ratio of singular values below which a direction of the first layer's change counts as none."""
SENT = {"gradient": "gradients of one batch's mean loss", "update": "changes, after training minus before"}
MOST, MOST_NUMBERS = 12, 4_000_000
"""Number of arrays that are listed; of a first layer's weights whose directions are counted."""


def look(arrays: Arrays, card: Mapping[str, Any]) -> Seen:
    """What arrays are understood to be, with what the card states. InvalidInput: no card could help."""
    if not arrays:
        raise InvalidInput("the npz holds no arrays")
    seen, sent = Seen(), str(card.get("sent", ""))
    if not sent and ungrouped(arrays):
        seen.ask("what are these arrays?", *((says, {"sent": one}) for one, says in SENT.items()))
    groups = grouped(arrays, sent or "gradient")
    beside = groups.pop("", {})
    if not groups:
        raise InvalidInput(f"the npz holds {', '.join(beside)} alone, and no weights, changes or gradients")
    if [*groups] in (["before"], ["after"]):
        have, need = ("before", "after") if "before" in groups else ("after", "before")
        raise InvalidInput(f"the npz holds {have}/… alone: without {need}/… no change is known")
    kind = next((one for one in ("gradient", "update") if one in groups), "weights")
    if "sent" not in card and not ungrouped(arrays):
        words = f"what was sent: {SENT.get(kind, 'weights, before and after')}"
        seen.ask(words, ("so", {"sent": kind}), proved=True)
    some = groups[next(one for one in GROUPS if one in groups)]
    rows = [[name, _sides(one.shape), str(one.dtype)] for name, one in arrays.items()]
    seen.rows = [["array", "shape", "numbers"], *rows[:MOST]]
    seen.notes += [f"and {spelled(len(rows) - MOST)} more arrays"] * (len(rows) > MOST)
    if moving := statistics(some):
        name = shown(next(iter(moving)))
        seen.notes.append(f"{name} is a statistic of batches: no attack here fits such a layer")
    size = spelled(sum(one.size for one in some.values()))
    seen.gives.append(f"{size} numbers in {spelled(len(some))} arrays")
    seen.gives += [f"beside them {name}, {_sides(one.shape)}" for name, one in beside.items()]
    _of_model(seen, [one.shape for one in some.values()], card)
    if (sent or kind) != "gradient" and "learning_rate" not in card:
        ways = [(f"{rate:g}", {"learning_rate": rate}) for rate in (0.1, 0.01, 0.001)]
        seen.ask("at which learning rate was it trained?", *ways)
    if not {"steps", "batch"} & {*card}:
        _of_batch(seen, groups)
    return seen


def _of_model(seen: Seen, shapes: Sequence[Shape], card: Mapping[str, Any]) -> None:
    """Ask what the arrays' shapes leave open of the network and of its samples."""
    if ("model" in card and {"shape", "classes"} <= {*card}) or ("dataset" in card and "model" in card):
        return
    units = _dense(shapes)
    if not units:
        if _dense([shape[::-1] for shape in shapes]):
            how = "as Keras has them; save array.T of each"
            raise InvalidInput(f"its weights are transposed, inputs × units, {how}")
        if {len(shape) for shape in shapes} == {2}:
            raise InvalidInput("its layers have no biases, and no network here is without them")
        if len(shapes) == 1:
            raise InvalidInput(
                "it is one long array: save each layer's weights and biases as arrays of their own"
            )
        what = "its layers in order (strides, pooling and activations leave no array), shape and classes"
        seen.ask(f"which network is it? State {what} in its card")
        return
    first, *rest = units
    classes = {"classes": rest[-1]}
    if "model" in card:
        seen.ask(f"{rest[-1]} classes, by its last layer", ("so", classes), proved=True)
    elif len(rest) == 1:
        linear = {"model": "logistic_regression", **classes}
        seen.ask(f"one linear layer: {rest[0]} classes", ("so", linear), proved=True)
    else:
        ways = []
        for one in ("relu", "sigmoid", "tanh"):
            layers = ", ".join([*(f"dense {n} {one}" for n in rest[:-1]), f"dense {rest[-1]} none"])
            ways.append((layers, {"model": {"layers": layers}, **classes}))
        seen.ask("which activations has it? They leave no array", *ways)
    if "shape" not in card:
        ways = []
        for planes, colour in ((1, "grey"), (3, "colour")):
            side = isqrt(first // planes)
            if side > 1 and planes * side * side == first:
                shape = [side, side] if planes == 1 else [planes, side, side]
                ways.append((f"{colour} pictures of {side} × {side}", {"shape": shape}))
        ways.append((f"rows of {first} numbers, no pictures", {"shape": [1, first]}))
        seen.ask("what are its samples?", *ways)


def _sides(shape: Shape) -> str:
    return " × ".join(map(str, shape)) or "one number"


def _dense(shapes: Sequence[Shape]) -> list[int]:
    """Inputs, then units of each layer, of weights and biases of a fully connected network; else []."""
    pairs = [*zip(shapes[::2], shapes[1::2], strict=False)]
    fit = len(shapes) == 2 * len(pairs) > 0 and all(len(w) == 2 and b == (w[0],) for w, b in pairs)
    chain = fit and all(w[1] == before[0] for (w, _), (before, _) in zip(pairs[1:], pairs, strict=False))
    return [pairs[0][0][1], *(w[0] for w, _ in pairs)] if chain else []


def _of_batch(seen: Seen, groups: Mapping[str, Arrays]) -> None:
    """Ask of how many pictures and steps the change was made, which its first layer may prove."""
    one = {"steps": 1, "batch": 1}
    change = _first_change(groups)
    values = np.linalg.svd(change, compute_uv=False) if change.size else np.zeros(0)
    rank = int((values > RANK * values[0]).sum()) if values.any() else 0
    if rank == 1:
        rest = number(float(values[1] / values[0]) if len(values) > 1 else 0.0, 1)
        words = f"one step on one picture: the first layer's change is a product of two vectors, up to {rest}"
        seen.ask(words, ("so", one), proved=True)
        return
    some = rank or 8
    ways = [
        (f"one step on {some} pictures", {"steps": 1, "batch": some}),
        (f"{some} steps, one picture each", {"steps": some, "batch": 1}),
        ("one step on one picture", one),
    ]
    why = f"the first layer's change has {rank} directions: " if rank else ""
    seen.ask(f"{why}of how many pictures, in how many steps?", *(ways if rank else ways[::-2]))


def _first_change(groups: Mapping[str, Arrays]) -> NDArray[np.float64]:
    """Change or gradient of the first layer's weights; empty where they are no matrix of numbers."""
    sent = next((groups[name] for name in ("gradient", "update", "after") if name in groups), {})
    change = next(iter(sent.values()), np.zeros(0)).astype(np.float64)
    if sent is groups.get("after"):
        begun = next(iter(groups.get("before", {}).values()), np.zeros(0))
        change = change - begun if begun.shape == change.shape else np.zeros(0)
    usable = change.ndim == 2 and change.size < MOST_NUMBERS and np.isfinite(change).all()
    return change if usable else np.zeros(0)
