"""Events of a run, from its start to its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ldp_core.events.base import Count, Event, Json, Share, Some, Status
from ldp_core.events.parts import (
    Caps,
    Departures,
    Ledger,
    Measured,
    Packed,
    Pairs,
    PerGroup,
    Picture,
    Shares,
    Spent,
    Spies,
)


@dataclass(frozen=True)
class Started(Event):
    """Start of a run: its experiment, and the untrained model's accuracy."""

    event: ClassVar[str] = "start"

    experiment: Json
    key: str
    """Key of the experiment."""
    dimension: Count
    """Number of weights of the network, d."""
    device: str
    engine: str
    """Engine of local training, in words."""
    engine_kind: str
    """Kind of engine; runs with the same kind are equal bit for bit."""
    accuracy: Share
    accuracy_per_class: Shares
    loss: float
    mean_image: Picture | None
    """Mean of the held-out images, a guess without an upload."""
    chance: Share
    """Accuracy of always guessing the test set's most frequent class."""
    targets: Count
    """Number of attacked clients; as many target events follow."""
    spies: Spies = field(default_factory=list)
    """`upload`, `attacker` and facts it `knows`, for each kind of attacked upload."""
    attack_note: str = ""
    """Why the requested attack is impossible; "" if it is possible or not requested."""
    departures: Departures = field(default_factory=list)
    """Departures of a system's run from its paper: `field`, value in the `paper`, value `now`."""
    round: Literal[0] = 0


@dataclass(frozen=True)
class Target(Event):
    """A client under attack and the image that its audit uploads are made of."""

    event: ClassVar[str] = "target"

    client: Count
    epsilon: float
    """The client's ε in the mechanism's scope."""
    label: Count
    image: Picture


@dataclass(frozen=True)
class Trained(Event):
    event: ClassVar[str] = "trained"

    round: Count


@dataclass(frozen=True)
class RoundDone(Event):
    """End of a round: the new model's accuracy, and the noise of the aggregate."""

    event: ClassVar[str] = "round"

    round: Count
    accuracy: Share
    accuracy_per_class: Shares
    accuracy_per_group: PerGroup
    """Accuracy weighted by the class mixtures of the strict (ε at most the median) and the permissive
    clients; null for an empty group.
    """
    loss: float
    noise_variance: float
    """Measured mean squared difference per weight between the aggregate of the uploads and that of the same
    clipped values without noise; after a vote, before any projection.
    """
    noise_variance_theory: float | None
    """Exact expectation of `noise_variance` given clipped values and weights; null for a vote whose result
    noise may change.
    """
    signal_variance: float
    """Mean square per weight of the aggregate without noise, for comparison with the noise."""
    clipped_fraction: Share
    """Share of the values outside their safe range before clipping."""
    participants: Count
    client_weights: PerGroup
    """Total aggregation weight of the strict and of the permissive clients."""
    spent: Spent
    """For the clients with the least, median and greatest ε: `uploads` so far, `epsilon` spent at `delta`
    (null without a guarantee), and what is `left` of the client's own limit.
    """
    stopped: Count
    """Number of clients that have reached their own ε limit."""
    accuracy_per_client: Shares | None = None
    """Where every client has a model of its own (a system's): what each gets with it, up to a thousand of
    them; `accuracy` is then their mean, or that of what clients share, where that is a model by itself.
    Absent where all share one model."""
    accuracy_own_mix: Share | None = None
    """The mean over clients, each with the model that it has, classes weighted as the client holds them. With
    `heterogeneity` it is absent where the system does not compare clients."""
    heterogeneity: float | None = None
    """The variance between participants of their mean losses (nats) on their own samples, after training and
    before clipping and noise. Papers add it up over rounds."""

    def as_json(self) -> Json:
        body = super().as_json()
        for name in ("accuracy_per_client", "accuracy_own_mix", "heterogeneity"):
            if body[name] is None:
                del body[name]
        return body


@dataclass(frozen=True)
class Attacked(Event):
    event: ClassVar[str] = "attack"

    round: Count
    client: Count
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
    image: Picture
    identification_rank: Count | None = None
    """1 = the right candidate came first; null where not computed. Which candidate is the right one is drawn
    afresh for each victim and round, and among equally likely ones a coin decides who comes first."""
    identification_tied: Count | None = None
    """How many candidates were as likely as the right one, itself included; 1 where it stood alone."""
    identification_credit: float | None = None
    """What a pick among the likeliest is worth: 1/tied where the right one is in front, else 0."""
    candidates: Some | None = None
    identification_rank_same_class: Count | None = None
    """The same among images of one class."""
    identification_tied_same_class: Count | None = None
    identification_credit_same_class: float | None = None
    candidates_same_class: Some | None = None
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
    caps: Caps = field(default_factory=list)
    """Each bound: `name`, `label`, `value`, `vacuous`."""
    rounds_observed: Count = 1
    """Uploads of the same values that the attacker saw."""
    images: Some = 1
    """How many images were looked for in the upload."""
    recovered: Count | None = None
    """Of a real upload: how many of them came back with 20 dB or more."""
    recovered_low: float | None = None
    """The 95 % interval of that share (Wilson)."""
    recovered_high: float | None = None
    recovered_non_members: float | None = None
    """The same share among as many held-out images: what choosing the closest guess gives by chance."""
    pairs: Pairs = field(default_factory=list)
    """Of a real upload, best first: `original`, `image` and `psnr` of up to 20 of its images."""


@dataclass(frozen=True)
class Frame(Event):
    """Progress of a searching attacker on an upload as sent (one image, one step); readers may skip frames.
    The final result is the attempt's own event.
    """

    event: ClassVar[str] = "frame"

    round: Count
    client: Count
    attacker: str
    iterations: Count
    """Steps of the search so far."""
    psnr: float
    """In dB."""
    image: Picture


@dataclass(frozen=True)
class Ended(Event):
    event: ClassVar[str] = "end"

    status: Status
    round: Count
    """The last round that was finished."""
    accuracy: Share
    message: str
    """Why, where it did not simply complete."""
    weights_sha256: str
    """Of the final global model, float32 little-endian."""
    ledger: Ledger = field(default_factory=list)
    """As ldp_core.accounting.table has it: one entry a client or, above a thousand, each promise once."""
    accuracy_unnoised: Share | None = None
    """Of the model that the last round would have made of the same uploads without their noise."""
    held_out: Count = 0
    """Samples that the accuracy is of …"""
    right: Packed = ""
    """… and which of them are named right (ldp_core.bits): so that runs are compared sample by sample."""
    measured: Measured = field(default_factory=list)
    """For each attacked client, of one upload and of all that it sent: `epsilon_lower`, shown by trials of an
    attack (null where they show nothing, and `why`); `most`: what so many could show at best. All bounds hold
    together with `confidence`. Absent where the law of an attacked upload is not known."""
    seconds: float | None = None
    """Added by the caller of the simulation, which keeps no clock itself."""

    def as_json(self) -> Json:
        body = super().as_json()
        if not self.measured:
            del body["measured"]
        return body
