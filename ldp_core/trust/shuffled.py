"""A shuffler removes names: the server sees an unordered heap of messages for each budget and range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.composition.backwards import largest
from ldp_core.composition.spending import Spending
from ldp_core.errors import Problem
from ldp_core.fields import Choice
from ldp_core.mechanisms.base import Floats, Form
from ldp_core.mechanisms.shared.kinds import kinds
from ldp_core.trust._prices import Heaps
from ldp_core.trust.base import Population, Terms, Trust, common_problems

MESSAGES = ("upload", "coordinate")


class Shuffled(Trust):
    label = "a shuffler"
    synonyms = ("shuffler", "a shuffler")
    order = 2
    summary = (
        "Each client adds its own noise; a shuffler passes the messages on without names, those of equal "
        "budget and range in one heap."
    )
    formula = r"\{\tilde w_{\pi(1)},\dots,\tilde w_{\pi(n)}\},\quad\pi\text{ uniform}"
    reference = "Feldman, McMillan and Talwar 2023 (stronger clones); Erlingsson et al. 2019"
    against = "shuffled heap"
    sees = "The server sees a heap of messages without names, one heap for each budget and range."
    unseen = "the server sees a heap without names; what it picks out is shown under “What is promised”"
    breaks = (
        "A shuffler that keeps names or times of arrival, or that works with the server; and clients of the "
        "heap who tell the server what they sent."
    )

    message: Annotated[str, Choice(MESSAGES)] = Field(
        "upload", description="what is mixed: whole uploads, or each weight's values by themselves"
    )

    def problems(self, terms: Terms) -> Iterator[Problem]:
        yield from common_problems(self, terms)
        mechanism, form = terms.public.mechanism, terms.public.form
        if mechanism.role == "identity":
            return  # without noise nothing is promised, and the ledger says so
        if self.message == "coordinate" and mechanism.scope != "coordinate":
            message = f"must be upload with {mechanism.name}, which answers for a whole {mechanism.scope}"
            yield Problem("trust.message", message)
        elif not _pure(terms, form):
            mended = _pure(terms, "corrected")
            message = (
                f"must have a pure ε with a shuffler, as the theorem asks for; got {mechanism.name} "
                f"{form.replace('_', ' ')}: {'choose the form corrected' if mended else 'try piecewise'}"
            )
            yield Problem("mechanism", message)
        different = len(_groups(terms.people))
        if different > 1 and terms.selection.name != "all":
            message = (
                f"must be all with a shuffler with {different} different budgets or ranges: how "
                f"many of each take part would be chance; got {terms.selection.name}"
            )
            yield Problem("selection", message)

    def per_use(self, terms: Terms, asked: Floats, low: Floats, high: Floats) -> Floats:
        alone = super().per_use(terms, asked, low, high)
        if terms.scope != "run" or terms.mechanism.role == "identity":
            return alone
        sizes, found = _sizes(terms), np.ravel(alone).copy()
        keys, places = kinds(*(np.ravel(one) for one in (asked, low, high)))
        for number, key in enumerate(keys):
            if (size := sizes.get(key, 1)) < 2:
                continue  # a heap of one message hides nothing
            start = float(found[np.argmax(places == number)])
            mixed = Heaps(terms.releases, self.message, alone=size)

            def cost(epsilon: float, mixed: Heaps = mixed, ends: Any = key[1:]) -> float:
                return mixed.uploads((epsilon, *ends), terms.uploads).bound

            found[places == number] = max(start, largest(cost, key[0], start))
        return found.reshape(np.shape(alone))

    def prices(self, terms: Terms) -> Spending:
        return Heaps(terms.releases, self.message, _sizes(terms))

    def heaps(self, terms: Terms) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
        people, sizes = terms.people, _sizes(terms)
        keys, places = kinds(people.epsilon, people.low, people.high)
        return places, np.array([sizes[key] for key in keys])[places], self.message == "coordinate"

    def measures(self, terms: Terms) -> bool:
        return False

    def handed_on(
        self, uploads: NDArray[np.float32], terms: tuple[Floats, ...], generator: np.random.Generator
    ) -> NDArray[np.float32]:
        keys, places = kinds(*(np.broadcast_to(term, (len(uploads), 1))[:, 0] for term in terms))
        mixed = uploads.copy()
        for number in range(len(keys)):
            rows = np.flatnonzero(places == number)
            if self.message == "upload":
                mixed[rows] = uploads[generator.permutation(rows)]
            else:
                mixed[rows] = generator.permuted(uploads[rows], axis=0)
        return mixed


def _pure(terms: Terms, form: Form) -> bool:
    """Whether the mechanism's privacy loss at ε 1 is finite in this form."""
    law = terms.public.mechanism.formed(form).fitted(terms.first_use).at(1.0, -1.0, 1.0)
    return bool(np.isfinite(law.loss))


def _sizes(terms: Terms) -> dict[tuple[float, ...], int]:
    """Messages in a heap in one round, by the budget and range of its clients."""
    groups = _groups(terms.people)
    return dict.fromkeys(groups, terms.heard or 1) if len(groups) == 1 else groups


def _groups(people: Population) -> dict[tuple[float, ...], int]:
    """Number of clients by (ε, low, high)."""
    keys, places = kinds(people.epsilon, people.low, people.high)
    return dict(zip(keys, np.bincount(places).tolist(), strict=True))
