"""Arms without training and data: traffic of a round, and paper 000's synthetic records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from ldp_core import mechanisms
from ldp_core.cost.seconds import Work
from ldp_core.cost.traffic import against_share, traffic
from ldp_core.experiment import EPSILON_MODES, RANGE_MODES, Experiment, changed, parse
from ldp_core.papers.arms.trained import Arm
from ldp_core.theory.relative_error import relative_errors


class Computed(Arm):
    unit: ClassVar[str]
    """Axis title of the arm's figure."""

    @abstractmethod
    def measure(self, seed: int) -> float:
        """Figure of the arm, as a share in [0, 1]."""


@dataclass(frozen=True)
class Counted(Computed):
    """Arm: traffic of a round, counted; exact with each seed."""

    base: Mapping[str, Any]

    @property
    def tried(self) -> Experiment:
        return parse({**self.base, "attack": None})

    def work(self) -> Work:
        return Work(0, 0, 1, 0, 0, 0, 0)


@dataclass(frozen=True)
class Sent(Counted):
    """Traffic of a round with a share of the clients, relative to all of them."""

    share: float

    unit = "of what all clients send, %"

    @property
    def setting(self) -> dict[str, Any]:
        return {"sent": {"base": dict(self.base), "share": self.share}}

    def measure(self, seed: int) -> float:
        some, every = against_share(self.tried, [self.share, 1.0])
        return some.up / every.up


@dataclass(frozen=True)
class Packed(Counted):
    """Traffic of a round in as few bits as possible, relative to float32."""

    set: Mapping[str, Any]

    unit = "of the bits without a mechanism, %"

    @property
    def tried(self) -> Experiment:
        return changed(super().tried, dict(self.set))

    @property
    def setting(self) -> dict[str, Any]:
        return {"packed": {"base": dict(self.base), "set": dict(self.set)}}

    def measure(self, seed: int) -> float:
        asked = self.tried
        here, plain = traffic(asked), traffic(changed(asked, {"mechanism.name": "none", "form": "corrected"}))
        return here.packed / plain.packed


@dataclass(frozen=True)
class Records(Computed):
    """Paper 000's synthetic records: relative error of the estimated mean, averaged over repetitions; uniform
    in [centre − L/2, centre + L/2] for a client with range length L, or in [0, L] if `centre` is None.
    """

    mechanism: str
    epsilon: str
    """Name of the mode of budgets."""
    range: str
    centre: float | None = None
    form: str = "as_printed"
    clients: int = 70
    repeats: int = 20

    unit = "relative error, %"

    def under(self, settings: Mapping[str, Any]) -> Records:
        return replace(self, **settings)

    @property
    def tried(self) -> Experiment:
        return parse({"mechanism": self.mechanism, "attack": None})

    @property
    def setting(self) -> dict[str, Any]:
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "label"}
        return {"records": own}

    def work(self) -> Work:
        return Work(0, 0, 100.0 * self.clients * self.repeats, 0, 0, 0, 0)

    def measure(self, seed: int) -> float:
        """Mean relative error, as a share of the true mean."""
        made = mechanisms.get(self.mechanism)
        mechanism = made.formed(self.form if self.form in made.forms else "corrected")
        half = RANGE_MODES[self.range].deal(self.clients)
        centre = half if self.centre is None else self.centre
        epsilon = EPSILON_MODES[self.epsilon].deal(self.clients)
        found = relative_errors(
            mechanism, epsilon, centre - half, centre + half, repeats=self.repeats, seed=seed
        )
        return float(found.mean())
