"""Base classes of attackers; those that need torch import it inside their functions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ldp_core.attacks.observation import Image, Observation, PublicImages
from ldp_core.attacks.servers import Server
from ldp_core.component import Component
from ldp_core.limits import number
from ldp_core.mechanisms.base import Floats, Mechanism
from ldp_core.models.base import Model, Shape
from ldp_core.models.dense import no_dense_start, no_picture
from ldp_core.optimizers import Optimizer

CONTROLS = 2
"""Number of control attacks on the same upload: without noise, and without clipping and noise."""


@dataclass(frozen=True)
class Facts:
    """Public facts about the uploads under attack."""

    upload: str
    """Kind of upload, "audit" or "real"."""
    target: str
    optimizer: Optimizer
    learning_rate: float
    """Learning rate of the first step."""
    model: Model
    mechanism: Mechanism
    batch_size: int
    epochs: int
    rounds: int
    """Number of uploads of the same values that the server sees."""
    shape: Shape
    classes: int
    clear: float = 0.0
    """Share of the upload's weights that are sent without noise in a partly perturbed upload."""
    also: tuple[str, ...] = ()
    """Further facts that a system reveals, as noun phrases."""
    kept: bool = False
    """Whether clients keep layers of their own around the model."""
    summed: bool = False
    """Whether an upload is seen as what a sum leaves once the other clients' uploads are taken off."""
    server: Server | None = None
    """The server, if it may lie; None for one that keeps to the protocol."""


@dataclass(frozen=True)
class Effort:
    """Dominant cost of an attack on one observed upload."""

    gradients: float = 0.0
    """Number of second-order gradients of one image."""
    likelihoods: float = 0.0
    """Number of evaluations of the mechanism's likelihood."""


class Attacker(Component):
    """What a curious server makes of the uploads that it receives; what it sent, `servers` has."""

    also_knows: ClassVar[str] = ""
    """What the attacker needs besides uploads, model and experiment; "" if nothing."""
    cannot: ClassVar[str] = ""
    """Limits of the attacker on models that it fits, with reasons; "" if none."""

    @classmethod
    def unfit(cls, model: Model, shape: Shape, classes: int) -> str:
        """Why this attacker cannot attack such a model or data, as the end of a sentence; "" if it can."""
        return no_picture(shape)

    @classmethod
    def cannot_follow(cls, optimizer: Optimizer) -> str:
        """Why this attacker cannot attack uploads trained with an optimiser; "" if it can."""
        return ""

    def knows(self, facts: Facts) -> list[str]:
        """All facts that the attacker uses, in plain words."""
        what = "the weights" if facts.target == "weights" else "what training changed, weight by weight"
        times = "" if facts.rounds == 1 else f", {facts.rounds} times with fresh noise"
        mechanism = facts.mechanism
        read_off = mechanism.in_clear() and mechanism.role != "identity"
        ends = "its scale, as the largest answer shows it" if read_off else "its safe range"
        batch = (
            "that the upload was made of one image in one step: the worst case"
            if facts.upload == "audit"
            else f"the batch size ({facts.batch_size}) and the number of epochs ({facts.epochs})"
        )
        return [
            f"what the sum leaves of the upload: {what}, with the noise that the promise counts on{times}"
            if facts.summed
            else f"the upload: {what}, as sent{times}",
            facts.server.sends if facts.server else "the global model that the client started from",
            f"the architecture ({facts.model.title}), the optimiser ({facts.optimizer.label}) and its "
            f"learning rate ({number(facts.learning_rate, 6)})",
            "that no noise was added, and the safe range"
            if mechanism.role == "identity"
            else f"the mechanism ({mechanism.label}), the client's ε and {ends}",
            *facts.also,
            *([f"that {100 * facts.clear:.0f} % of the weights come as they are"] if facts.clear else []),
            batch,
            *([self.also_knows] if self.also_knows else []),
        ]


class Reconstructor(Attacker):
    many: ClassVar[bool] = False
    """Whether the attacker finds several images in one upload; others assume a single image."""
    many_models: ClassVar[bool] = False
    """Whether the attacker draws nothing and reads uploads from several global models together."""

    @classmethod
    def unfit(cls, model: Model, shape: Shape, classes: int) -> str:
        return no_picture(shape) or no_dense_start(model, shape, classes)

    def suits(self, facts: Facts) -> float | None:
        """Suitability rating, of which “auto” takes the largest; None if the attacker is used by name only.
        From 2 for values sent in clear, from 1 for a closed form, below 1 for a search.
        """
        return None

    def effort(self, facts: Facts) -> Effort:
        """Work of an attack on one upload, beyond reading it once."""
        return Effort()

    @abstractmethod
    def reconstruct(self, seen: Observation, *, generator: np.random.Generator) -> Image:
        """Guesses (V, M, *shape), best first and not clamped; NaN where an upload yields fewer than M, which
        is 1 unless `many`. The generator is of the stream "reconstruction".
        """

    def reconstruct_all(
        self, seen: Sequence[Observation], *, generators: Sequence[np.random.Generator]
    ) -> list[Image]:
        """`reconstruct` for several observations of one global model, each with a generator of its own."""
        each = zip(seen, generators, strict=True)
        return [self.reconstruct(one, generator=generator) for one, generator in each]


class Identifier(Attacker):
    @abstractmethod
    def scores(self, seen: Observation, candidates: PublicImages, uploads: Floats | None = None) -> Floats:
        """Score (V, M) of each of M candidates, (V, M, *shape): the higher, the likelier the upload was made
        of it. `uploads`: the candidates' unclipped uploads (V, M, d), if not computed from the observation
        (of clients with weights unknown to the server, whose attacker knows them in the worst case).
        """
