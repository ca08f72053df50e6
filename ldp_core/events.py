"""What a run says of itself: one JSON object after another, from its start to its end.

Rounds count from 1; round 0 is the model before training. Clients are numbered from 0, in the
order of the experiment's lists (pages show them from 1). Variances are per weight, in squared units
of the target.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Literal

Status = Literal["completed", "diverged", "cancelled", "failed"]


@dataclass(frozen=True)
class Event:
    """Base of all events; `event` is the kind."""

    event: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """The event as a JSON object."""
        return {"event": self.event, **{one.name: _plain(getattr(self, one.name)) for one in fields(self)}}


def _plain(value: Any) -> Any:
    """A copy, all the way down; what `asdict` would make of JSON values, in a fifth of its time."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


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
    engine_kind: str
    """Which engine that is, in one: runs with the same one are equal bit for bit."""
    accuracy: float
    accuracy_per_class: list[float]
    loss: float
    mean_image: dict[str, Any] | None
    """The mean of the held-out images: what guessing without an upload looks like."""
    chance: float
    """The accuracy of guessing the most frequent class of the test set."""
    targets: int
    """How many clients are attacked: as many target events follow at once."""
    spies: list[dict[str, Any]] = field(default_factory=list)
    """For each kind of upload under attack: `upload`, `attacker` and what it `knows`, in sentences."""
    attack_note: str = ""
    """Why nothing is attacked, where an attack was asked for and none is possible."""
    departures: list[dict[str, Any]] = field(default_factory=list)
    """Of a published system's run: each `field` that is not as in the `paper`, and what it is `now`."""
    clients_from: int = 1
    """The first client's number in what follows."""
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
class Trained(Event):
    """A round has ended that nobody measures."""

    event: ClassVar[str] = "trained"

    round: int


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
    aggregate of the same clipped values without noise; after a vote, before any projection."""
    noise_variance_theory: float | None
    """Its exact expectation, given the clipped values and the weights; null for a vote that it may turn."""
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
    accuracy_per_client: list[float] | None = None
    """Where every client has a model of its own (a system's): what each gets with it, up to a thousand of
    them; `accuracy` is then their mean, or that of what clients share, where that is a model by itself.
    Absent where all share one model."""
    accuracy_own_mix: float | None = None
    """The mean over clients, each with the model that it has, classes weighted as the client holds them. With
    `heterogeneity` it is absent where the system does not compare clients."""
    heterogeneity: float | None = None
    """The variance between participants of their mean losses (nats) on their own samples, after training and
    before clipping and noise. Papers add it up over rounds."""

    def as_json(self) -> dict[str, Any]:
        told = super().as_json()
        for name in ("accuracy_per_client", "accuracy_own_mix", "heterogeneity"):
            if told[name] is None:
                del told[name]
        return told


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
    """Of the surest guess, in dB; of a real upload: of the image that came back best."""
    psnr_mean_image: float
    """What the average held-out image gets (for a real upload: on the image that it suits best)."""
    ncc: float
    """Of a real upload: the median over its images, each held against the guess that suits it best."""
    image: dict[str, Any]
    identification_rank: int | None = None
    """1 = the right candidate came first; null where not computed. Which candidate is the right one is drawn
    afresh for each victim and round, and among equally likely ones a coin decides who comes first."""
    identification_tied: int | None = None
    """How many candidates were as likely as the right one, itself included; 1 where it stood alone."""
    identification_credit: float | None = None
    """What a pick among the likeliest is worth: 1/tied where the right one is in front, else 0."""
    candidates: int | None = None
    identification_rank_same_class: int | None = None
    """The same among images of one class."""
    identification_tied_same_class: int | None = None
    identification_credit_same_class: float | None = None
    candidates_same_class: int | None = None
    psnr_class_mean: float | None = None
    """What the average held-out image of the right class gets: the label alone buys that."""
    psnr_median: float | None = None
    """Of a real upload: over its images."""
    ssim: float | None = None
    ncc_non_members: float | None = None
    """The highest with one of the random decoys; of a real upload: as `ncc`, for held-out images."""
    label_recovered: bool | None = None
    """The label, read from the gradient of the last bias, is right."""
    cap: float | None = None
    """The smallest bound on the share of right identifications; null for controls."""
    caps: list[dict[str, Any]] = field(default_factory=list)
    """Each bound: `name`, `label`, `value`, `vacuous`."""
    rounds_observed: int = 1
    """Uploads of the same values that the attacker saw."""
    images: int = 1
    """How many images were looked for in the upload."""
    recovered: int | None = None
    """Of a real upload: how many of them came back with 20 dB or more."""
    recovered_low: float | None = None
    """The 95 % interval of that share (Wilson)."""
    recovered_high: float | None = None
    recovered_non_members: float | None = None
    """The same share among as many held-out images: what choosing the closest guess gives by chance."""
    pairs: list[dict[str, Any]] = field(default_factory=list)
    """Of a real upload, best first: `original`, `image` and `psnr` of up to 20 of its images."""


@dataclass(frozen=True)
class Frame(Event):
    """How far an attacker that searches has got with a client's upload as sent, one image and one step.

    What the search ends with is the attempt's own event; a reader may leave frames out.
    """

    event: ClassVar[str] = "frame"

    round: int
    client: int
    attacker: str
    iterations: int
    """Steps of the search so far."""
    psnr: float
    """In dB."""
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
    ledger: list[dict[str, Any]] | dict[str, Any] = field(default_factory=list)
    """As ldp_core.accounting.table has it: one entry a client or, above a thousand, each promise once."""
    accuracy_unnoised: float | None = None
    """Of the model that the last round would have made of the same uploads without their noise."""
    held_out: int = 0
    """Samples that the accuracy is of …"""
    right: str = ""
    """… and which of them are named right (ldp_core.bits): so that runs are compared sample by sample."""
    seconds: float | None = None
    """Added by whoever runs the simulation; it keeps no clock itself."""


@dataclass(frozen=True)
class LadderStarted(Event):
    """An attacker's desk is set up: what is attacked, and what guessing gives."""

    event: ClassVar[str] = "ladder"

    ladder: dict[str, Any]
    """The request."""
    n: int
    """Images on every rung."""
    dimension: int
    attackers: dict[str, str]
    """Mechanism → who reconstructs."""
    knows: dict[str, list[str]]
    """Mechanism → everything that the attacker uses, in sentences."""
    label: int
    """Of the example."""
    image: dict[str, Any]
    """The example: the first of the n images."""
    mean_image: dict[str, Any]
    class_mean: dict[str, Any]
    psnr_mean_image: float
    """The median over the images of what the average held-out image gets, in dB."""
    psnr_class_mean: float
    chance: float
    """The share of right identifications by guessing."""
    clients_from: int = 1
    """The first client's number."""


@dataclass(frozen=True)
class Figures(Event):
    """What n attempts under one setting came to: medians over images, shares as counts out of n."""

    mechanism: str
    attacker: str
    n: int
    psnr: float
    """In dB; of a real upload: of the image that came back best."""
    ncc: float
    ncc_non_members: float
    ssim: float
    recovered: int
    """How many came back with 20 dB or more."""
    recovered_low: float
    """The 95 % interval of that share (Wilson)."""
    recovered_high: float
    image: dict[str, Any]
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
    labels_recovered: int | None = None
    """How many labels were read from the gradient of the last bias."""
    pairs: list[dict[str, Any]] = field(default_factory=list)
    """Of a real upload, best first: `original`, `image` and `psnr` of up to 20 of its images."""
    caps: list[dict[str, Any]] = field(default_factory=list)
    """Bounds on the share identified, on average over which candidate is the right one: `name`, `label`,
    `value`, `vacuous`."""
    cap: float | None = None
    """The smallest of them."""


@dataclass(frozen=True)
class Reference(Figures):
    """One control of a mechanism's rungs: the same attack where nothing is perturbed."""

    event: ClassVar[str] = "reference"

    control: Literal["clean", "clipped"] = "clean"


@dataclass(frozen=True)
class Cell(Figures):
    """One mechanism at one budget."""

    event: ClassVar[str] = "cell"

    epsilon: float = 1.0
    """In the mechanism's own scope."""
    rounds_observed: int = 1
    verdict: dict[str, str] = field(default_factory=dict)
    """`kind` and `text`, as attacks.findings.verdict has them."""


@dataclass(frozen=True)
class Guess(Event):
    """How far an attacker that searches has got in a cell, or under a control; a reader may leave it out."""

    event: ClassVar[str] = "guess"

    mechanism: str
    epsilon: float | None
    """null of a control."""
    control: Literal["clean", "clipped"] | None
    iterations: int
    """Steps of the search so far; of several images, the most."""
    psnr: float
    """The median over images, in dB."""
    image: dict[str, Any]
    """Of the example."""
    done: float
    """Of the ladder, how many cells' worth has been done by now."""


@dataclass(frozen=True)
class LadderEnded(Event):
    """All cells are there, or training diverged before them."""

    event: ClassVar[str] = "end"

    status: Status
    cells: int
    message: str
