"""Checks of a mechanism: samples follow the stated distribution, and its moments, loss and δ agree."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np

from ldp_core import mechanisms
from ldp_core.contract.in_use import Broken, Promise, Promises
from ldp_core.contract.integrals import MANY
from ldp_core.contract.sampling import KINDS, check_clipping, check_finite, check_independence, check_samples
from ldp_core.contract.stated import VECTOR, check_delta, check_loss, check_moments, check_worst_variance
from ldp_core.mechanisms import Mechanism, Use

RANGES = ((-1.0, 1.0), (0.4, 0.6), (-3.0, 197.0))
EPSILONS = (0.001, 0.1, 0.5, 1.0, 2.0, 5.0, 8.0, 20.0)
EXTREMES = (0.001, 1.0, 88.0, 89.0, 350.0, 700.0)


def of_mechanism(one: Mechanism) -> Promises:
    """Checks of a mechanism, in the corrected and the as-printed form if they differ."""
    for kind in dict.fromkeys(type(one).in_form(form) for form in one.forms):
        printed = "" if kind is type(one) else ", as printed"
        for words, check in of_law(kind().fitted(Use(VECTOR, 10, 3, 70))):
            yield Promise(words + printed, check)


def of_law(one: Mechanism, beside: Callable[..., Iterable[Any]] = product) -> Promises:
    """Checks of one law; `beside` combines lists of budgets, ranges and values into places to check."""
    noisy = one.role != "identity"
    pure = noisy and one.region == "box" and np.isfinite(one.privacy_loss(1.0, -1, 1))

    def each(check: Any, places: Iterable[Any]) -> Any:
        def all_of_them() -> None:
            for place in places:
                try:
                    check(one, *place)
                except Broken as error:
                    raise Broken(f"{error} (at {place})") from None

        return all_of_them

    if one.region == "ball":  # of a whole vector in it: tests/mechanisms/shared/test_caps.py has checks
        return
    budgets = [((epsilon, *span),) for epsilon, span in beside(EPSILONS, RANGES)]
    edges = one.at(EPSILONS[0], -1.0, 1.0).edges(0.0).size
    words = f", between the {edges} edges that it lists at ε {EPSILONS[0]}" * (edges > MANY)
    yield Promise("the law has the stated total, mean and variance" + words, each(check_moments, budgets))
    words = "the variance never exceeds its stated maximum, and reaches it"
    yield Promise(words, each(check_worst_variance, budgets))
    if pure:
        losses = [((epsilon, -0.5, 1.5),) for epsilon in (*EPSILONS, 88.0, 700.0)]
        yield Promise("no output tells two inputs apart by more than it states", each(check_loss, losses))
    if one.scope == "coordinate" and (pure or (noisy and one.at(1.0, -1, 1).mu is not None)):
        deltas = [((e, -1.0, 1.0), share * e) for e, share in beside((0.1, 1.0, 5.0), (0.9, 0.3, 0.0))]
        yield Promise("δ is the largest excess of probability", each(check_delta, deltas))
    if noisy:
        for n, name in enumerate(KINDS):
            tried = beside((0.5, 1.0, 8.0), np.roll((-0.25, 0.2, 0.75), n))
            draws = [((epsilon, -0.25, 0.75), float(value), name) for epsilon, value in tried]
            yield Promise(f"samples follow the law ({name})", each(check_samples, draws))
        words = "every client and every weight has noise of its own"
        yield Promise(words, each(check_independence, [((1.0, -1.0, 1.0),)]))
    finite = [((epsilon, -0.1, 0.3), name) for epsilon, name in beside(EXTREMES, KINDS)]
    yield Promise("nothing overflows from tiny to huge budgets", each(check_finite, finite))
    yield Promise("values outside the range are clipped first", each(check_clipping, [((1.0, -1.0, 1.0),)]))


def kinds() -> list[type[Mechanism]]:
    """All classes of mechanisms, with as-printed forms that differ as classes of their own."""
    every = map(mechanisms.registry.kind, mechanisms.names())
    return list(dict.fromkeys(kind.in_form(form) for kind in every for form in kind.forms))
