"""Published systems' base: the experiment fields it sets, the weights it sends, its part in a round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component
from ldp_core.errors import Problem
from ldp_core.mechanisms.base import Floats, Form, Mechanism
from ldp_core.models.base import Model

if TYPE_CHECKING:
    from torch import Tensor

Vectors = NDArray[np.float32]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Sent:
    """Numbers of perturbed and of clear weights in an upload, for the ledger."""

    perturbed: float
    """Number of perturbed weights; the mean, if random."""
    clear: float = 0.0
    """Number of weights without noise; if any, no ε bounds what an upload reveals."""
    why: str = ""
    """What is sent in clear, in a sentence; or what the ledger does not cover."""


@dataclass(frozen=True)
class Release:
    """What an upload reveals in a round: the mechanism, its number of uses, and weights in clear."""

    mechanism: Mechanism
    uses: int
    """Number of times that the mechanism's ε is spent: per weight, per layer, or once."""
    sent: Sent


@dataclass(frozen=True, eq=False)
class Public:
    """Public facts about a run before it begins."""

    clients: int
    dataset: str
    target: str
    form: Form
    layers: tuple[slice, ...]
    """Slice of each layer in the model's vector (d,)."""
    sent: slice
    model: Model
    """The shared model, without what a system adds."""
    mechanism: Mechanism
    """As asked: neither in the run's form nor fitted to its use."""
    ranges: tuple[Floats, Floats]
    """Lower and upper ends of the clients' safe ranges, (K,) each."""

    @property
    def dimension(self) -> int:
        return self.layers[-1].stop


@dataclass(frozen=True)
class Encoded:
    """Encoded values for the mechanism, with masks of those sent in clear or not at all; arrays (k, m)."""

    values: Vectors
    low: Floats
    """Lower ends of the safe ranges, (k, 1) or (k, m)."""
    high: Floats
    clear: NDArray[np.bool_] | None = None
    """Mask (k, m) of values that are clipped and sent without noise."""
    unsent: NDArray[np.bool_] | None = None
    """Mask (k, m) of values that are not sent, so that they carry neither information nor noise."""


class Participation:
    """What clients and server do in a run beyond the common round; by default nothing. What clients keep
    between rounds is in `arrays`, by name, one row per client, and is stored with the run's state.
    """

    compares_clients: ClassVar[bool] = False
    """Whether rounds also measure the spread of the clients' losses, and accuracy on their own class
    mixtures.
    """

    def __init__(self, public: Public, arrays: dict[str, NDArray[Any]] | None = None) -> None:
        self.public = public
        self.arrays: dict[str, NDArray[Any]] = arrays or {}
        self.model: Vectors = np.zeros(public.dimension, dtype=np.float32)
        """The server's model at the beginning of the round."""

    def begin(self, model: Vectors, clients: Indices) -> Vectors | None:
        """Initial weights of the clients, (k, d); None if all start from the global model."""
        self.model = model
        return None

    def records(self, shards: Sequence[Indices], generator: np.random.Generator) -> Sequence[Indices]:
        """Samples that the clients train on in this round, none empty; by default all of them."""
        return shards

    def term(self, model: Vectors, clients: Indices) -> Callable[[Tensor, Indices], Tensor] | None:
        """Function that returns the gradient (k, d) of a term in the loss of those of the `clients` at these
        places (k,), at their weights (k, d), in each step from the server's model (d,); None without such a
        term. Each client's row depends on its own weights alone.
        """
        return None

    def encode(
        self, values: Vectors, low: Floats, high: Floats, clients: Indices, generator: np.random.Generator
    ) -> Encoded:
        """Encode the clients' `values` (k, m), trained weights or changes in the columns that are sent,
        before perturbation; `low` and `high` (k, 1) are their safe ranges, `generator` that of the stream
        "encoding".
        """
        return Encoded(values, low, high)

    def keep(self, trained: Vectors, clients: Indices) -> None:
        """Store in `arrays` what clients keep of their trained weights (k, d)."""

    def finish(self, aggregate: Floats) -> Floats:
        """Post-process the aggregate (m,), noisy or exact, before the server's step; stores nothing."""
        return aggregate

    def models(self, model: Vectors) -> Vectors | None:
        """Each client's own model, (K, d), for evaluation; None if all have the global one."""
        return None

    def heard(self, model: Vectors, uploads: Vectors, clients: Indices) -> None:
        """Let a curious server take notes, in `arrays`, on the noisy uploads (k, m) from the model (d,)."""

    def noted(self, clients: Indices) -> Mapping[str, Floats]:
        """The server's notes about some clients, for attackers, one row per client."""
        return {}


class System(Component):
    """A published system; subclasses add parameters as fields."""

    participation: ClassVar[type[Participation]] = Participation

    data: ClassVar[tuple[str, ...]] = ()
    """Data sets of the paper, its main one first; empty for any."""

    readings: ClassVar[tuple[str, ...]] = ()
    """Interpretations where the paper is silent or impossible to follow, in sentences."""

    altered: ClassVar[tuple[str, ...]] = ()
    """What is done otherwise than the paper prints, in sentences."""

    left_open: ClassVar[tuple[str, ...]] = ()
    """Fields that `fill` sets to values that the paper does not print."""

    def fill(self, dataset: str | None) -> dict[str, Any]:
        """Experiment fields that the system sets for a data set, None for the paper's own; given fields have
        priority.
        """
        return {}

    def also(self, dataset: str) -> Mapping[str, tuple[Any, ...]]:
        """Other values of fields that the paper tries on these data; no departures from the paper."""
        return {}

    def papers_data(self, dataset: str) -> str | None:
        """Data set whose settings the paper states for a run on `dataset`; None for that of `fill`."""
        return dataset if not self.data or dataset in self.data else None

    def scale(self, dataset: str) -> float:
        """Factor on the samples before training and evaluation."""
        return 1.0

    def initial(self, weights: Vectors) -> Vectors:
        """The server's initial weights, given the model's usual ones (d,)."""
        return weights

    def problems(self, public: Public) -> Iterator[Problem]:
        """Fields of the experiment that conflict with the system."""
        yield from ()

    def extends(self, model: Model) -> Model:
        """Network that a client trains around the model; its first weights, the model's, are sent."""
        return model

    def why_diverged(self, public: Public, exact: bool) -> str:
        """Explanation of a divergence, as the end of a sentence; `exact`: before any noise. "" for the usual
        one.
        """
        return ""

    def unpredicted(self, public: Public) -> str:
        """Why the noise cannot be predicted before training, as the end of “as …”; "" if it can."""
        return ""

    def sends(self, layers: tuple[slice, ...]) -> slice:
        """Slice of the weight vector that clients upload; by default all of it."""
        return slice(layers[0].start, layers[-1].stop)

    def made(self, mechanism: Mechanism, form: Form) -> Mechanism:
        """The mechanism, already in this form, as the system uses it."""
        return mechanism

    def corrects(self, public: Public) -> str:
        """Sentence on what the corrected form changes in the system itself; "" if nothing."""
        return ""

    def tells(self, size: int, form: Form) -> Sent:
        """Numbers of perturbed and clear weights in an upload of `size` weights, in a form."""
        return Sent(size)

    def joins(self, public: Public, arrays: dict[str, NDArray[Any]] | None = None) -> Participation:
        """The system's part in a run, new or with the `arrays` of a stored state."""
        return self.participation(public, arrays)

    @property
    def adds_term(self) -> bool:
        """Whether clients have a term in their losses, which `participation` defines."""
        return self.participation.term is not Participation.term

    @property
    def plain(self) -> bool:
        """True if its rounds are the common ones, so that all attacks apply."""
        return self.participation is Participation

    def readable(self, mechanism: Mechanism, form: Form) -> bool:
        """Whether an upload's likelihood given the image is computable, so that attacks apply."""
        return self.plain

    def server_knows(self, public: Public) -> tuple[str, ...]:
        """Facts about an upload that the server knows beyond the usual ones, as noun phrases."""
        return ()
