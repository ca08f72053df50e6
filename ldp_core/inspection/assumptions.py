"""Assumptions of an attack about an upload, checked against the upload's own values."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.attacks import Observation
from ldp_core.inspection.arrays import Arrays
from ldp_core.inspection.layout import Assumption, misplaced, not_finite, statistics
from ldp_core.inspection.upload_card import UploadCard
from ldp_core.limits import number
from ldp_core.mechanisms.base import Floats
from ldp_core.models.dense import no_dense_start
from ldp_core.models.own import OwnLayers

COARSE = 10.0
"""Least root mean square of a change, in resolution steps of its number format."""
RANK = 1e-2
"""Ratio of the second to the first singular value above which a matrix is no outer product."""
SUM = 1e-2
"""Largest |sum| over sum of magnitudes of the last bias's change; 0 for cross-entropy after softmax."""
REMADE = 1e-2
"""Largest squared distance of an upload and its recomputed one, over the upload's squared length."""
SAME = 1e-9
"""The same distance if both differ by rounding alone: 1e-13 was measured in float32, and 1e-6 between
uploads of two pictures of one class through LeNet."""
SIGNS = "sign compression"
MOVED = "noise, weight decay or other weights before"
EVEN, MOST = 1e-2, 0.9
"""Sizes are one where more than `MOST` are within `EVEN` of their median."""
SCATTERED, LEAST = 0.01, 0.25
"""Share of zeros outside whole rows and columns, and smallest of the others over their median, of top-k."""
PEAK, ENDS = 1e-3, 0.01
"""Values were clipped where several, of several rows, are within `PEAK` of the largest; where rounding is
coarser than that, more than `ENDS` of them.
"""
MOMENTUM = 0.9
"""Momentum that is tried."""
STEPS = 20
"""Largest number of steps on one picture that is tried."""


def of_arrays(groups: dict[str, Arrays], card: UploadCard) -> list[Assumption]:
    """Findings on layout, finite values and number format of the arrays, all of which the attack needs."""
    slices = card.model.slices(card.shape, card.classes)
    known = {
        f"{group}/{name}": one for group, some in groups.items() for name, one in statistics(some).items()
    }
    if known:
        pairs = [(one, known.get(f"before/{name.partition('/')[2]}", one)) for name, one in known.items()]
        moved = not all(np.array_equal(one, begun) for one, begun in pairs)
        how = "in training mode, as its statistics moved" if moved else "in the model"
        why = f"a batch normalisation is {how} ({next(iter(known))[:60]}): it mixes the pictures of a batch"
        return [Assumption("no batch normalisation", False, f"{why}, and no card can list it; leave it out")]
    for group, some in groups.items():
        if why := misplaced(some, slices):
            return [Assumption("the card's layers", False, f"of {group}/…, {why}")]
        if why := not_finite(some):
            return [Assumption("finite numbers", False, f"of {group}/…, {why}")]
    return [
        Assumption("the card's layers", True, f"{len(slices)} arrays, {slices[-1].stop} numbers"),
        _format(groups),
    ]


def _format(groups: dict[str, Arrays]) -> Assumption:
    """Finding: whether the weights' change is large relative to the resolution of the number format."""
    name = "a fine number format"
    for at, array in (pair for some in groups.values() for pair in some.items()):
        if array.dtype.kind != "f":
            return Assumption(name, False, f"{at[:40]} is {array.dtype}, and weights are floats")
    ratio, coarsest = resolution(groups)
    much = f"{coarsest}; the change is as large as {ratio:,.0f} of its steps"
    if 0 < ratio < COARSE:
        return Assumption(name, False, f"{much}, so rounding has eaten it: save float32")
    return Assumption(name, True, much)


def resolution(groups: dict[str, Arrays]) -> tuple[float, np.dtype[Any]]:
    """The change over the spacing of the coarsest number format sent, root mean squares; and that format."""
    sent = next(group for group in ("after", "update", "gradient") if group in groups)
    begun = groups.get("before", {}) if sent == "after" else {}
    coarsest = min(
        (one.dtype for some in groups.values() for one in some.values()), key=lambda of: of.itemsize
    )
    square, steps = 0.0, 0.0
    for name, array in groups[sent].items():
        square += float(((array.astype(np.float64) - begun.get(name, 0)) ** 2).sum())
        steps += float((np.spacing(np.abs(array).astype(coarsest)).astype(np.float64) ** 2).sum())
    return float(np.sqrt(square / max(steps, 1e-300))), coarsest


def of_change(seen: Observation, card: UploadCard) -> list[Assumption]:
    """Findings on single step, single picture and cross-entropy loss, from the card, and from the values
    unless noise hides them.
    """
    many = (
        f"the card says {card.steps} steps, whose gradients lie on top of each other, each at other weights: "
    )
    many += "only single units may show a picture"
    found = [Assumption("one step", card.steps == 1, "the card says one" if card.steps == 1 else many)]
    if not np.any(seen.steps[0][0]):
        nothing = "nothing moved: the change is zero everywhere"
        return [*found, Assumption("something was learnt", False, nothing)]
    if seen.mechanism.role != "identity":
        return found
    if cut := clipped(seen):
        why = f"{number(100 * cut, 2)} % of the numbers stand at an end of the range: how far is unknown"
        return [*found, Assumption("nothing was clipped", None, why)]
    causes = causes_of(seen, card)
    if causes[SIGNS]:
        return [*found, Assumption("sizes and not signs alone", False, fits(causes))]
    if card.optimizer.name != "sgd":
        return found
    last = seen.model.slices(seen.shape, seen.classes)[-1]
    bias = seen.gradients[0, last.start : last.stop]
    total = float(abs(bias.sum()) / max(np.abs(bias).sum(), 1e-300))
    why = f"the last bias's changes sum to {number(100 * total, 2)} % of their size"
    other = f"{why}, and to 0 after softmax; {fits(causes)}; not tested: another loss"
    found.append(Assumption("cross-entropy after softmax", total < SUM, why if total < SUM else other))
    if card.alone and not no_dense_start(seen.model, seen.shape, seen.classes):
        values = np.linalg.svd(seen.first_layer(seen.gradients)[0], compute_uv=False)
        if not values[0]:
            return [*found, Assumption("the first layer moved", False, "its weights are all as they were")]
        ratio = float(values[1] / values[0]) if len(values) > 1 else 0.0
        directions = int((values > RANK * values[0]).sum())
        why = f"the first layer's change is a product of two vectors, up to {number(ratio, 1)}"
        other = f"the first layer's change has {directions} directions, and one step on one picture leaves "
        other += f"one; {directions} or more pictures or steps leave as many; {fits(causes)}"
        found.append(Assumption("one picture", ratio < RANK, why if ratio < RANK else other))
    return found


def fits(causes: dict[str, str]) -> str:
    """Sentence on causes, each with what speaks for it or ""."""
    some = ", ".join(f"{name} ({why})" for name, why in causes.items() if why)
    others = ", ".join(name for name, why in causes.items() if not why)
    return f"these fit: {some or 'none of those tested'}; these do not: {others}"


def causes_of(seen: Observation, card: UploadCard) -> dict[str, str]:
    """Causes that the numbers alone can show, each with what speaks for it, "" if they speak against it."""
    step, slices = seen.steps[0][0], seen.model.slices(seen.shape, seen.classes)
    sizes = [np.abs(part[part != 0]) for one in slices if (part := step[one.start : one.stop]).any()]
    unmoved = ", ".join(one.name for one in slices if not step[one.start : one.stop].any())
    each = [float(np.median(some)) for some in sizes]
    even = all((np.abs(some / np.median(some) - 1) < EVEN).mean() > MOST for some in sizes)
    even &= len(slices) > 2 or seen.classes > 2  # else a picture of two colours has one size, too
    same = even and np.allclose(each, each[0], rtol=EVEN)
    one = f"all that moved did so by {number(each[0], 3)}" if same else "one size a layer"
    adam = f"{one}; the card says {card.optimizer.label} at {number(card.rate, 6)}"
    wide = max(slices, key=lambda one: one.stop - one.start)
    table = step[wide.start : wide.stop].reshape(wide.shape[0], -1)
    live = np.abs(table[(table != 0).any(axis=1)][:, (table != 0).any(axis=0)])
    kept = live[live > 0]
    still = float((step == 0).mean())
    large = not len(kept) or kept.min() > LEAST * np.median(kept)
    few = large and (table == 0).mean() > SCATTERED  # a few of one row leave no zero between
    # units that are silent for some of few pictures have their zeros in common
    unlike = len(np.unique(live == 0, axis=0)) > len(live) / 2
    holes = len(kept) and (live == 0).mean() > SCATTERED and not few and unlike
    last = slices[-1]
    bias = step[last.start : last.stop]
    sparse = not even and (few or (bias.any() and not bias.all() and not holes))
    rounding = 2 * np.spacing(np.abs(seen.previous)) if card.sent == "weights" else np.zeros(1)
    most = np.abs(step).max()
    ends = np.abs(step) + rounding > (1 - PEAK) * most
    rows = max(ends[one.start : one.stop].reshape(one.shape[0], -1).any(axis=1).sum() for one in slices)
    # pixels are alike in one row, and what units answer is not
    beside = int(ends[slices[-2].start : slices[-2].stop].sum())
    many = ends.mean() > ENDS or rounding.max() < PEAK * most
    cut = (rows > 2 or beside > 2) and many and not even
    fell = int((bias > 0).sum())
    reverse = card.alone and seen.classes > 2 and fell == 1 and bool(bias.all())
    found = {
        "first step of Adam, RMSprop or Adagrad": adam if same and card.sent != "gradient" else "",
        SIGNS: one if even else "",
        "top-k": f"{100 * still:.0f} % are exactly 0, the others large" if sparse else "",
        "random-k": f"{100 * still:.0f} % are exactly 0, of any size and place" if holes else "",
        "clipping by value": f"{100 * ends.mean():.0f} % are as large as the largest" if cut else "",
        MOVED: "every number moved" if still < 1e-3 and not even else "",
        "a reversed sign": "the last bias fell for one class alone" if reverse else "",
        "layers left as they were": f"{unmoved} did not move" if unmoved else "",
    }
    if (live == 0).any() and not (even or sparse or holes):
        del found["top-k"]  # that dropped little: neither shown nor ruled out
    return found


def causes_beside(seen: Observation, x: NDArray[np.float32], card: UploadCard) -> dict[str, str]:
    """Causes that uploads computed from the picture show; as `causes_of`."""
    sent, labels, found = seen.steps[0][0], seen.labels(), dict[str, str]()

    def moved(at: Observation) -> Floats:
        return at.moved(at.gradients_of(x, labels))[0]

    def apart(change: Floats) -> float:
        return float(((sent + change) ** 2).sum() / (sent**2).sum())

    made = moved(seen)
    for kept, words in ((0.0, ""), (MOMENTUM, f" with momentum {MOMENTUM:g}")):
        total = pace = made
        each = list[float]()
        for _ in range(STEPS - 1):
            pace = kept * pace + moved(replace(seen, previous=(seen.previous + total).astype(np.float32)))
            total = total + pace
            each.append(apart(total))
        count = int(np.argmin(each))
        name = f"2 to {STEPS} steps on this picture{words}"
        found[name] = f"{count + 2}" if each[count] < REMADE else ""
    model = card.model
    for name in ("relu", "sigmoid", "tanh"):
        if not isinstance(model, OwnLayers):
            break
        stack = [one if one.activation == "none" else replace(one, activation=name) for one in model.stack]
        other = replace(seen, model=model.model_copy(update={"stack": tuple(stack)}))
        found[f"{name} in all layers"] = "the upload is the same" if apart(moved(other)) < REMADE else ""
    moves, would = (np.any(seen.first_layer(one), axis=-1) for one in (sent, made))
    silent = 0 if any(found.values()) else int((would & ~moves).sum())
    why = f"{silent} of {len(would)} units are exactly 0 that the picture moves"
    found["dropout of first units"] = why if silent else ""
    return found


def clipped(seen: Observation) -> float:
    sent = seen.uploads[0, 0]
    return float(((sent <= seen.low.astype(np.float32)) | (sent >= seen.high.astype(np.float32))).mean())


def of_picture(
    seen: Observation, x: NDArray[np.float32], card: UploadCard, exact: bool, same: float
) -> tuple[float | None, Assumption | None]:
    """Squared distance between the upload and one recomputed from the reconstruction, relative to the
    upload's squared length; and the finding.
    """
    name = "the picture explains the upload"
    if seen.mechanism.role != "identity":
        why = "noise was added, so nothing here can check the picture without the original"
        return None, Assumption(name, None, why)
    sent = seen.steps[0][0]
    made = seen.base - np.clip(seen.uploads_of(x, seen.labels())[0], seen.low[0], seen.high[0])
    scale = float(sent @ made / max(made @ made, 1e-300))
    apart = float(((sent - scale * made) ** 2).sum() / max((sent**2).sum(), 1e-300))
    what = f"made again from the picture, the upload differs by {number(100 * apart, 2)} % (squared)"
    if exact and apart > REMADE:
        causes = causes_of(seen, card) | causes_beside(seen, x, card)
        return apart, Assumption(name, False, f"{what}; {fits(causes)}")
    if not exact and apart > same:
        why = "as another picture's may: not found, which proves nothing"
        return apart, Assumption(name, None, f"{what}, {why}")
    if card.norm is None and card.sent != "gradient" and not 0.95 < scale < 1.05:
        often = f"the upload is {number(scale, 3)} times the one made of the picture"
        if apart > same:
            causes = causes_of(seen, card) | causes_beside(seen, x, card)
            other = f"{often}, and not only scaled: {what}; {fits(causes)}; not tested: another loss"
            return apart, Assumption(name, False, other)
        why = f"{often}: {'shortened' if scale < 1 else 'several small steps'}, a weighted loss, or the "
        why += f"learning rate was {number(scale * card.rate, 3)}, and not {number(card.rate, 6)}"
        return apart, Assumption("the card's learning rate", False, why)
    return apart, Assumption(name, True, what)
