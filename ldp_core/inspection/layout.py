"""Assignment of a file's arrays to a model's layers, and differences between the two."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp_core.errors import InvalidInput, one_of, shown
from ldp_core.inspection.arrays import Arrays
from ldp_core.models.base import Shape, Slice

GROUPS = ("before", "after", "update", "gradient")
BESIDE = ("originals",)
"""Optional arrays: the original images."""
LARGEST = 1e15
STATISTICS = ("running_mean", "running_var", "num_batches_tracked", "moving_mean", "moving_variance")


class Assumption(NamedTuple):
    """Whether an assumption of the attack holds, None if undecidable, and a sentence on it."""

    assumption: str
    holds: bool | None
    says: str


def ungrouped(arrays: Arrays) -> bool:
    """Whether no array says by its name whether it is a gradient, a change or a weight."""
    return not any(name.partition("/")[0] in GROUPS for name in arrays)


def grouped(arrays: Arrays, sent: str = "") -> dict[str, Arrays]:
    """Arrays by group, `before/NAME` under "before" and those outside the groups under ""; InvalidInput for
    another. Where none is in a group, all are what was `sent`.
    """
    found: dict[str, Arrays] = {}
    if sent in GROUPS and ungrouped(arrays):
        arrays = {name if name in BESIDE else f"{sent}/{name}": one for name, one in arrays.items()}
    for name, array in arrays.items():
        group, slash, own = name.partition("/")
        if slash and group in GROUPS and own:
            found.setdefault(group, {})[own] = array
        elif name in BESIDE:
            found.setdefault("", {})[name] = array
        else:
            wanted = one_of([f"{one}/…" for one in GROUPS] + list(BESIDE))
            raise InvalidInput(f"the npz has an array {shown(name)}, and arrays are called {wanted}")
    return found


def statistics(some: Arrays) -> Arrays:
    """Arrays that are running statistics of batch normalisation."""
    return {name: array for name, array in some.items() if name.endswith(STATISTICS)}


def misplaced(some: Arrays, slices: Sequence[Slice]) -> str:
    """Why the arrays are not the model's parameters in order; "" if they are."""
    named = [(name, array.shape) for name, array in some.items()]
    given, wanted = [shape for _, shape in named], [one.shape for one in slices]
    if given == wanted:
        return ""
    both = min(len(given), len(wanted))
    first = next((i for i in range(both) if given[i] != wanted[i]), both)
    if Counter(given) == Counter(wanted):
        return (
            f"the weights come in another order: {_said(*named[first])} stands where "
            f"{_said(slices[first].name, wanted[first])} belongs; save them as model.parameters() has them"
        )
    turned = [shape[::-1] if len(shape) == 2 else shape for shape in given]
    if turned == wanted:
        return "the weights are transposed, inputs × units, as Keras has them; save array.T of each"
    if missing := _left_over(wanted, given):
        names = ", ".join(_said(slices[i].name, wanted[i]) for i in missing[:4])
        biases = all(len(wanted[i]) == 1 for i in missing)
        how = (
            "no card can list a layer without its bias"
            if biases
            else "save all its parameters, or mend the card"
        )
        return f"arrays of the card's model are missing: {names}; {how}"
    if extra := _left_over(given, wanted):
        names = ", ".join(_said(*named[i]) for i in extra[:4])
        kinds = [given[i] for i in extra]
        norm = (
            " (scale and offset of a normalisation, it seems)" if all(len(one) == 1 for one in kinds) else ""
        )
        how = "list them in the card" if _listable(kinds) else "no card has them; leave them out"
        return f"the card's model lacks layers that were sent: {names}{norm}; {how}"
    if first == both:
        return f"{len(given)} arrays were sent, and the card's model has {len(wanted)}"
    there = _said(slices[first].name, wanted[first])
    return f"{_said(*named[first])} was sent, where the card's model has {there}: mend its layers or shape"


def _left_over(longer: Sequence[Shape], shorter: Sequence[Shape]) -> list[int]:
    """Indices of `longer` without which it is `shorter`, the last of equal ones; [] if there are none."""
    rest, found = list(shorter), list[int]()
    for i, shape in enumerate(longer):
        if rest and rest[0] == shape:
            rest.pop(0)
        else:
            found.append(i)
    return [] if rest else found


def _listable(shapes: Sequence[Shape]) -> bool:
    """Whether arrays are dense or convolutional weights, each with its biases, as cards list them."""
    pairs = zip(shapes[::2], shapes[1::2], strict=False)
    fit = [len(w) in (2, 4) and len({*w[2:]}) < 2 and b == w[:1] for w, b in pairs]
    return len(shapes) == 2 * len(fit) and all(fit)


def _said(name: str, shape: Shape) -> str:
    return f"{name[:40]} ({' × '.join(map(str, shape)) or 'one number'})"


def flat(some: Arrays) -> NDArray[np.float64]:
    return np.concatenate([np.asarray(array, dtype=np.float64).ravel() for array in some.values()])


def not_finite(some: Arrays) -> str:
    """First array with NaN, infinity or values too large for float32, and their number; "" without."""
    for name, array in some.items():
        if wrong := int((~(np.abs(array.astype(np.float64)) < LARGEST)).sum()):
            return f"{name[:40]} has {wrong} values that are NaN, infinite or beyond {LARGEST:g}"
    return ""
