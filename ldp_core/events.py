"""What a run says of itself: one JSON object after another, from its start to its end.

Rounds count from 1; round 0 is the model before training. Clients are numbered from 0, in the
order of the experiment's lists (pages show them from 1). Variances are per weight, in squared units
of the target.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

Status = Literal["completed", "diverged", "cancelled", "failed"]


@dataclass(frozen=True)
class Event:
    """Base of all events; `event` is the kind."""

    event: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """The event as a JSON object."""
        return {"event": self.event, **asdict(self)}


@dataclass(frozen=True)
class Started(Event):
    """The run is about to begin: what it is, and the untrained model's accuracy."""

    event: ClassVar[str] = "start"

    experiment: dict[str, Any]
    key: str
    """The experiment's identity."""
    dimension: int
    """d, weights in an upload."""
    device: str
    engine: str
    """How clients are trained, in words."""
    accuracy: float
    accuracy_per_class: list[float]
    loss: float
    mean_image: dict[str, Any] | None
    """The mean of the held-out images: what guessing without an upload looks like."""
    chance: float
    """The accuracy of guessing the most frequent class of the test set."""
    targets: int
    """How many clients are attacked: as many target events follow at once."""
    round: int = 0


@dataclass(frozen=True)
class Target(Event):
    """A client under attack and the image that its audit uploads are made of."""

    event: ClassVar[str] = "target"

    client: int
    epsilon: float
    """The client's budget in the mechanism's scope."""
    label: int
    image: dict[str, Any]


@dataclass(frozen=True)
class RoundDone(Event):
    """One round: how well the new model does, and what noise went into it."""

    event: ClassVar[str] = "round"

    round: int
    accuracy: float
    accuracy_per_class: list[float]
    accuracy_per_group: dict[str, float | None]
    """Weighted by the classes that the strict (ε at most the median) and the permissive clients hold;
    null where a group is empty."""
    loss: float
    noise_variance: float
    """Measured: mean squared difference, per weight, between the aggregate of the uploads and the
    aggregate of the same clipped values without noise, before any projection."""
    noise_variance_theory: float
    """Its exact expectation, given the clipped values and the weights."""
    signal_variance: float
    """Mean square, per weight, of that aggregate without noise: what the noise is to be held against."""
    clipped_fraction: float
    """Share of the values that lay outside their safe range."""
    participants: int
    client_weights: dict[str, float]
    """The aggregator's total weight of the strict and of the permissive clients."""
    spent: dict[str, dict[str, Any]]
    """For the strictest, the median and the most permissive client: `uploads` so far, the `epsilon` they
    have cost at `delta` (null without a guarantee), and what is `left` of the client's own limit."""
    stopped: int
    """Clients that have reached their own limit."""


@dataclass(frozen=True)
class Attacked(Event):
    """One attempt on one upload in one round."""

    event: ClassVar[str] = "attack"

    round: int
    client: int
    upload: Literal["audit", "real"]
    control: Literal["clean", "clipped"] | None
    """null: the upload as sent; "clean": neither clipped nor noised; "clipped": clipped only."""
    attacker: str
    psnr: float
    psnr_mean_image: float
    ncc: float
    identification_rank: int | None
    candidates: int | None
    image: dict[str, Any]


@dataclass(frozen=True)
class Ended(Event):
    """The run is over, one way or another."""

    event: ClassVar[str] = "end"

    status: Status
    round: int
    """The last round that was finished."""
    accuracy: float
    message: str
    """Why, where it did not simply complete."""
    weights_sha256: str
    """Of the final global model, float32 little-endian."""
    ledger: list[dict[str, Any]] = field(default_factory=list)
    seconds: float | None = None
    """Added by whoever runs the simulation; it keeps no clock itself."""
