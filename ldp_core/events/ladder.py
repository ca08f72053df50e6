"""Events of an attack grid: its start, controls and cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ldp_core.events.base import Count, Event, Json, Share, Some, Status
from ldp_core.events.parts import Caps, Pairs, Picture, Sentences, Verdict


@dataclass(frozen=True)
class LadderStarted(Event):
    """Start of an attack grid: the attacked images, and the success of guessing."""

    event: ClassVar[str] = "ladder"

    ladder: Json
    n: Some
    """Images on every rung."""
    dimension: Count
    attackers: Annotated[dict[str, str], Field(max_length=20)]
    """Mechanism → who reconstructs."""
    knows: Annotated[dict[str, Sentences], Field(max_length=20)]
    """Mechanism → everything that the attacker uses, in sentences."""
    label: Count
    """Of the example."""
    image: Picture
    """The example: the first of the n images."""
    mean_image: Picture
    class_mean: Picture
    psnr_mean_image: float
    """The median over the images of what the average held-out image gets, in dB."""
    psnr_class_mean: float
    chance: Share
    """The share of right identifications by guessing."""


@dataclass(frozen=True)
class Figures(Event):
    """Figures of n attempts under one setting: medians over images, counts out of n."""

    mechanism: str
    attacker: str
    n: Some
    psnr: float
    """In dB; of a real upload: of the image that came back best."""
    ncc: float
    ncc_non_members: float
    ssim: float
    recovered: Count
    """How many came back with 20 dB or more."""
    recovered_low: float
    """The 95 % interval of that share (Wilson)."""
    recovered_high: float
    image: Picture
    """Of the example; of a real upload: of the image that came back best."""
    psnr_low: float | None = None
    """The 95 % interval of the median."""
    psnr_high: float | None = None
    psnr_median: float | None = None
    """Of a real upload: over its images."""
    recovered_non_members: float | None = None
    """Of a real upload: the share among as many held-out images, by chance."""
    identified: float | None = None
    """How many were the likeliest of their random candidates; one that shares the front with k − 1 others
    counts 1/k."""
    identified_low: float | None = None
    identified_high: float | None = None
    identified_same_class: float | None = None
    identified_same_class_low: float | None = None
    identified_same_class_high: float | None = None
    labels_recovered: Count | None = None
    """How many labels were read from the gradient of the last bias."""
    pairs: Pairs = field(default_factory=list)
    """Of a real upload, best first: `original`, `image` and `psnr` of up to 20 of its images."""
    caps: Caps = field(default_factory=list)
    """Bounds on the share identified, on average over which candidate is the right one: `name`, `label`,
    `value`, `vacuous`."""
    cap: float | None = None
    """The smallest of them."""


@dataclass(frozen=True)
class Reference(Figures):
    """One control of a mechanism: the same attack without noise."""

    event: ClassVar[str] = "reference"

    control: Literal["clean", "clipped"] = "clean"


@dataclass(frozen=True)
class Cell(Figures):
    event: ClassVar[str] = "cell"

    epsilon: float = 1.0
    """In the mechanism's own scope."""
    rounds_observed: Count = 1
    verdict: Verdict = field(default_factory=dict)
    """`kind` and `text`, as attacks.findings.verdict has them."""


@dataclass(frozen=True)
class Guess(Event):
    """Progress of a searching attacker in a cell or a control; readers may skip it."""

    event: ClassVar[str] = "guess"

    mechanism: str
    epsilon: float | None
    """null of a control."""
    control: Literal["clean", "clipped"] | None
    iterations: Count
    """Steps of the search so far; of several images, the most."""
    psnr: float
    """The median over images, in dB."""
    image: Picture
    """Of the example."""
    done: float
    """Of the ladder, how many cells' worth has been done by now."""


@dataclass(frozen=True)
class LadderEnded(Event):
    """End of an attack grid: all cells are done, or training diverged."""

    event: ClassVar[str] = "end"

    status: Status
    cells: Count
    message: str
