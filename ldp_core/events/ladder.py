"""Events of an attack grid: its start, controls and cells."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ldp_core.events.base import Count, Event, Json, Share, Some, Status
from ldp_core.events.parts import Pairs, Picture, RunCaps, Sentences, VerdictBody


@dataclass(frozen=True)
class LadderStarted(Event):
    """Start of an attack grid: the attacked images, and the success of guessing."""

    event: ClassVar[str] = "ladder"

    ladder: Json
    n: Some
    """Number of attacked images."""
    dimension: Count
    attackers: Annotated[dict[str, str], Field(max_length=20)]
    """Reconstructor by mechanism."""
    knows: Annotated[dict[str, Sentences], Field(max_length=20)]
    """Facts that the attacker uses, in sentences, by mechanism."""
    label: Count
    """Label of the example image."""
    image: Picture
    """Example image: the first of the n images."""
    mean_image: Picture
    class_mean: Picture
    psnr_mean_image: float
    """PSNR in dB of the mean held-out image, median over the images."""
    psnr_class_mean: float
    chance: Share
    """Identification rate of guessing."""


@dataclass(frozen=True)
class AttemptFigures(Event):
    """Figures of n attempts under one setting: medians over images, counts out of n."""

    mechanism: str
    attacker: str
    n: Some
    psnr: float
    """PSNR in dB; for a real upload, of its best recovered image."""
    ncc: float
    ncc_non_members: float
    ssim: float
    recovered: Count
    """Number of images recovered with 20 dB or more."""
    recovered_low: float
    """Lower end of the 95 % interval of that share (Wilson)."""
    recovered_high: float
    image: Picture
    """Reconstruction of the example; for a real upload, of its best recovered image."""
    psnr_low: float | None = None
    """Lower end of the 95 % interval of the median PSNR."""
    psnr_high: float | None = None
    psnr_median: float | None = None
    """For a real upload: median PSNR over its images."""
    recovered_non_members: float | None = None
    """For a real upload: share of as many held-out images that count as recovered by chance."""
    read: Count | None = None
    """For a real upload: number of its images that can be read (`attacks.findings.verdict.reads`)."""
    read_non_members: float | None = None
    identified: float | None = None
    """Number of identified uploads; a tie of k candidates counts 1/k."""
    identified_low: float | None = None
    identified_high: float | None = None
    identified_same_class: float | None = None
    identified_same_class_low: float | None = None
    identified_same_class_high: float | None = None
    labels_recovered: Count | None = None
    """Number of labels read correctly from the last bias's gradient."""
    pairs: Pairs = field(default_factory=list)
    """For a real upload: `original`, `image` and `psnr` of up to 20 of its images, best first."""
    caps: RunCaps = field(default_factory=list)
    """Upper bounds on identification over the true candidates: `name`, `label`, `value`, `vacuous`."""
    cap: float | None = None
    """Least of these bounds."""


@dataclass(frozen=True)
class Reference(AttemptFigures):
    """One control of a mechanism: the same attack without noise."""

    event: ClassVar[str] = "reference"

    control: Literal["clean", "clipped"] = "clean"


@dataclass(frozen=True)
class Cell(AttemptFigures):
    event: ClassVar[str] = "cell"

    epsilon: float = 1.0
    """ε in the mechanism's own scope."""
    rounds_observed: Count = 1
    verdict: VerdictBody = field(default_factory=dict)
    """`kind` and `text`, as in attacks.findings.verdict."""


@dataclass(frozen=True)
class SearchGuess(Event):
    """Progress of a searching attacker in a cell or a control; readers may skip it."""

    event: ClassVar[str] = "guess"

    mechanism: str
    epsilon: float | None
    """ε of the cell; null for a control."""
    control: Literal["clean", "clipped"] | None
    iterations: Count
    """Steps of the search so far; the largest number over images."""
    psnr: float
    """Median PSNR over images, in dB."""
    image: Picture
    """Current reconstruction of the example."""
    done: float
    """Completed part of the grid, in cells."""


@dataclass(frozen=True)
class LadderEnded(Event):
    """End of an attack grid: all cells are done, or training diverged."""

    event: ClassVar[str] = "end"

    status: Status
    cells: Count
    message: str
