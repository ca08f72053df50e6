"""Samples found in foreign data: which train, which are held out, and what they can give without noise."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._data_card import Seen
from ldp_core.errors import InvalidInput
from ldp_core.limits import CLIENTS, spelled
from ldp_core.streams import stream

ONE_OF = 5
"""One sample of so many of each class is held out, drawn once for all runs."""
FEW = 10
STEPS, MOST_NUMBERS = 200, 2_000_000
"""Steps of the model that is trained for the card, and largest amount of numbers that it sees."""
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Found:
    classes: tuple[str, ...]
    clients: tuple[str, ...]
    order: Integers
    """Places of the samples among all rows or files: those that train, then those held out."""
    y: Integers
    owners: Integers | None
    """Client of each training sample, counted from 0; None where no clients are named."""
    train: int
    columns: tuple[Any, ...] = ()
    """Features of a table's rows (`Feature`)."""
    target: str = ""
    client: str = ""
    learnt: str = ""
    rows_each: int = 0
    """Largest number of rows of one person; 0 where no persons are named."""


def divided(
    what: str, seen: Seen, classes: tuple[str, ...], clients: tuple[str, ...], rows: Integers, y: Integers,
    owners: Integers | None, test: NDArray[np.bool_], **more: Any,
) -> Found:  # fmt: skip
    """Samples at these rows, of which `test` are held out; InvalidInput if too few are left to train."""
    if test.all() or not test.any():
        raise InvalidInput(f"holds too few {what} ({len(rows)}) to train on some and hold others out")
    if len(clients) > CLIENTS.maximum:
        most = spelled(CLIENTS.maximum)
        raise InvalidInput(f"names {spelled(len(clients))} clients; at most {most} are trained")
    order, n = np.argsort(test, kind="stable"), int((~test).sum())
    held, known = (np.bincount(y[some], minlength=len(classes)) for some in (test, ~test))
    common, count = int(known.argmax()), int(test.sum())
    whose = f", {spelled(len(clients))} clients" if clients else ""
    seen.gives = [
        f"{spelled(n)} {what} to train on, {spelled(count)} held out; {len(classes)} classes{whose}",
        f"guessing “{classes[common]}” reaches {held[common] / count:.0%} of those held out",
    ]
    seen.guessing = float(held[common] / count)
    if count < FEW:
        seen.gives.append(f"of {count} held out, each one more that is right is {1 / count:.0%} of accuracy")
    if absent := [name for name, some in zip(classes, held, strict=True) if not some]:
        seen.gives.append(f"none is held out of {', '.join(absent[:5])}, which has no figure of its own")
    of = None if owners is None else owners[~test]
    return Found(classes, clients, rows[order], y[order], of, n, **more)


def held_out(labels: Integers, owners: Integers | None = None) -> NDArray[np.bool_]:
    """Mask of samples that are held out; of a class with two or more at least one, of a client never all."""
    order = stream(0, "holdout").permutation(len(labels))
    by = order[np.argsort(labels[order], kind="stable")]
    counts = np.bincount(labels)
    rank = np.arange(len(labels)) - np.repeat(np.cumsum(counts) - counts, counts)
    test = np.zeros(len(labels), bool)
    test[by] = rank < np.repeat(np.maximum(counts // ONE_OF, counts > 1), counts)
    if not test.any():
        test[order[:1]] = True
    if owners is not None:
        held, every = (np.bincount(owners[some], minlength=owners.max() + 1) for some in (test, ...))
        places = np.unique(owners, return_index=True)[1]
        test[places[held[owners[places]] == every[owners[places]]]] = False
    return test


def held_persons(persons: Integers, owners: Integers) -> NDArray[np.bool_]:
    """Mask of the samples of some persons, who are held out with all of theirs; of a client never all."""
    left, test, held = np.bincount(owners), np.zeros(len(persons), bool), 0
    those = np.split(np.argsort(persons, kind="stable"), np.cumsum(np.bincount(persons))[:-1])
    for one in stream(0, "holdout").permutation(len(those)):
        clients, counts = np.unique(owners[those[one]], return_counts=True)
        if (left[clients] > counts).all():
            left[clients] -= counts
            test[those[one]] = True
            held += len(those[one])
        if held >= len(persons) // ONE_OF:
            break
    return test


def pooled(x: NDArray[np.float32], y: Integers, cut: int) -> float:
    """Held-out accuracy of a linear model that sees the first `cut` of samples (n, d) at once: some hundred
    accelerated steps on the cross-entropy, without noise.
    """
    order = stream(0, "holdout", 1).permutation(cut)[: max(200, MOST_NUMBERS // x.shape[1])]
    middle = x[order].mean(0)
    a = np.hstack([x[order] - middle, np.ones((len(order), 1), np.float32)])
    right = np.eye(int(y.max()) + 1, dtype=np.float32)[y[order]]
    v = np.ones(a.shape[1], np.float32)
    for _ in range(10):
        v = a.T @ (a @ v)
        v /= np.linalg.norm(v)
    step = np.float32(2 / float(np.linalg.norm(a @ v)) ** 2)
    w = ahead = np.zeros((a.shape[1], right.shape[1]), np.float32)
    for n in range(STEPS):
        scores = a @ ahead
        p = np.exp(scores - scores.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        before, w = w, ahead - step * (a.T @ (p - right))
        ahead = w + np.float32(n / (n + 3)) * (w - before)
    return float((((x[cut:] - middle) @ w[:-1] + w[-1]).argmax(1) == y[cut:]).mean())
