"""Events of jobs of many runs: sweeps, a paper's claim, the search for the least ε."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ldp_core.events.base import Count, Event, Json, Like, Share, Some

Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class _Came(Event):
    status: Literal["completed", "diverged", "failed"]
    round: Count
    accuracy: Share | None
    loss: float | None
    noise_variance: float | None
    message: str
    seconds: float
    weights_sha256: str | None


@dataclass(frozen=True)
class SweepCell(_Came):
    event: ClassVar[str] = "cell"

    cell: Count
    set: Annotated[dict[str, Scalar], Field(max_length=100)]
    """Field values by dotted name."""
    seed: Count
    key: str
    """Key of the experiment."""
    known: bool
    """Whether the figures were stored before."""


@dataclass(frozen=True)
class ClaimCell(Event):
    event: ClassVar[str] = "cell"

    cell: Count
    key: str
    seed: Count
    accuracy: float | None
    status: str
    known: bool = False


@dataclass(frozen=True)
class SearchCell(_Came):
    """A run of the search: range, ε (None: without noise) and seed relative to the base's."""

    event: ClassVar[str] = "cell"

    cell: Count
    half: float
    epsilon: float | None
    seed: Count


@dataclass(frozen=True)
class Tried(Event):
    """A trial of a design, which screens it (`ldp_core.pilot`)."""

    event: ClassVar[str] = "trial"

    cell: Count
    question: Count
    design: Count
    epsilon: float
    accuracies: Annotated[list[Share], Field(max_length=4)]
    """Of its replicas; none where it would take too long."""


@dataclass(frozen=True)
class Fitted(Event):
    """A run without noise, which finds ranges and learning rate (`ldp_core.tuning.fits`)."""

    event: ClassVar[str] = "fit"

    cell: Count
    half: float
    rate: float
    accuracy: Share


@dataclass(frozen=True)
class Leaked(Event):
    """Images that an attacker identified, for one range and ε, in searches of earlier versions."""

    event: ClassVar[str] = "leak"

    cell: Count
    half: float
    epsilon: float
    picked: float
    made: Some
    blocks: Count
    seconds: float


@dataclass(frozen=True)
class Answered(Event):
    """Answer of the search for the least ε (`ldp_core.tuning.least_epsilon`)."""

    event: ClassVar[str] = "answer"
    omitted: ClassVar[tuple[str, ...]] = ("more",)

    cell: Count
    epsilon: float | None
    half: float | None
    above: float | None
    mean: float | None
    sure: float | None
    why: str
    more: Annotated[Json, Like({"effort": Count, "runs": Count, "uploads": Count})] | None = None
    """Further trials, which answers had once."""


@dataclass(frozen=True)
class DesignCell(_Came):
    """A run of the search for a design (`ldp_core.tuning.designs.Point`); a negative design has no noise."""

    event: ClassVar[str] = "cell"

    cell: Count
    question: Count
    design: int
    epsilon: float
    seed: Count


@dataclass(frozen=True)
class Told(Event):
    """How often an attacker told two images of a client apart, from one upload of the found design."""

    event: ClassVar[str] = "told"

    right: Share | None
    """None under a trust whose attack is not simulated."""


@dataclass(frozen=True)
class ChanceLevel(Event):
    """Accuracy of always naming the commonest class."""

    event: ClassVar[str] = "guessing"

    chance: Share
