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
from ldp_core.mechanisms.base import Floats, Form, Mechanism
from ldp_core.mechanisms.shared.kinds import kinds
from ldp_core.trust._prices import Heaps
from ldp_core.trust.base import Trust, common_problems, heard

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

    def problems(self, experiment: Any) -> Iterator[Problem]:
        yield from common_problems(self, experiment)
        mechanism = experiment.mechanism
        if mechanism.role == "identity":
            return  # without noise nothing is promised, and the ledger says so
        if self.message == "coordinate" and mechanism.scope != "coordinate":
            message = f"must be upload with {mechanism.name}, which answers for a whole {mechanism.scope}"
            yield Problem("trust.message", message)
        elif not _pure(mechanism, experiment, experiment.form):
            mended = _pure(mechanism, experiment, "corrected")
            form = experiment.form.replace("_", " ")
            message = (
                f"must have a pure ε with a shuffler, as the theorem asks for; got "
                f"{mechanism.name} {form}: {'choose the form corrected' if mended else 'try piecewise'}"
            )
            yield Problem("mechanism", message)
        different = len(_groups(experiment.clients.budgets(), *experiment.clients.bounds()))
        if different > 1 and experiment.selection.name != "all":
            message = (
                f"must be all with a shuffler with {different} different budgets or ranges: how "
                f"many of each take part would be chance; got {experiment.selection.name}"
            )
            yield Problem("selection", message)

    def per_use(self, experiment: Any, asked: Floats, low: Floats, high: Floats) -> Floats:
        alone = super().per_use(experiment, asked, low, high)
        sizes = self._sizes(experiment, experiment.clients.budgets(), *experiment.clients.bounds())
        found, most = np.ravel(alone).copy(), experiment.most_uploads
        keys, places = kinds(*(np.ravel(one) for one in (asked, low, high)))
        for number, key in enumerate(keys):
            if (size := sizes.get(key, 1)) < 2:
                continue  # a heap of one message hides nothing
            start = float(found[np.argmax(places == number)])
            mixed = Heaps(experiment.releases, self.message, alone=size)

            def cost(epsilon: float, mixed: Heaps = mixed, ends: Any = key[1:]) -> float:
                return mixed.uploads((epsilon, *ends), most).bound

            found[places == number] = max(start, largest(cost, key[0], start))
        return found.reshape(np.shape(alone))

    def prices(self, experiment: Any) -> Spending:
        population = experiment.population()
        sizes = self._sizes(experiment, population.epsilon, population.low, population.high)
        return Heaps(experiment.releases, self.message, sizes)

    def heaps(self, experiment: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
        people = experiment.population()
        terms = people.epsilon, people.low, people.high
        keys, places = kinds(*terms)
        sizes = self._sizes(experiment, *terms)
        of = np.array([sizes[key] for key in keys])
        return places, of[places], self.message == "coordinate"

    def measures(self, experiment: Any) -> bool:
        return False

    def _sizes(self, experiment: Any, *terms: Floats) -> dict[tuple[float, ...], int]:
        """Messages in a heap in one round, by the budget and range of its clients."""
        groups = _groups(*terms)
        if len(groups) == 1:
            return dict.fromkeys(groups, heard(experiment) or 1)
        return groups

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


def _pure(mechanism: Mechanism, experiment: Any, form: Form) -> bool:
    """Whether the mechanism's privacy loss at ε 1 is finite in this form."""
    return bool(np.isfinite(mechanism.formed(form).fitted(experiment.use()).at(1.0, -1.0, 1.0).loss))


def _groups(*terms: Floats) -> dict[tuple[float, ...], int]:
    """Number of clients by (ε, low, high)."""
    keys, places = kinds(*terms)
    return dict(zip(keys, np.bincount(places).tolist(), strict=True))
