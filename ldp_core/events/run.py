"""Events of a run, from its start to its end."""

import base64
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.events.base import Count, Event, Json, Share, Some, Status
from ldp_core.events.parts import (
    Departures,
    FromHeap,
    FromSum,
    Ledger,
    MeasuredBounds,
    Packed,
    Pairs,
    PerClass,
    PerGroup,
    Picture,
    RunCaps,
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
    accuracy_per_class: PerClass
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
    libraries: str = ""
    """Versions that computed the run, on which its last bits may depend."""
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
    omitted = ("accuracy_per_client", "accuracy_own_mix", "heterogeneity")

    round: Count
    accuracy: Share
    accuracy_per_class: PerClass
    """Null for a class of which nothing is held out."""
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
    """Exact expectation of `noise_variance` given clipped values and weights; null for noisy votes."""
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
    """Accuracy of up to a thousand clients with models of their own; absent if all share one model.
    `accuracy` is their mean, or that of the shared weights if those form a model.
    """
    accuracy_own_mix: Share | None = None
    """Mean accuracy over clients, each with its own model and its own class mixture; absent, as
    `heterogeneity`, if the system does not compare clients.
    """
    heterogeneity: float | None = None
    """Variance over participants of the mean loss (nats) on their own samples, after training and before
    clipping and noise; papers sum it over rounds.
    """


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
    """PSNR in dB of the best guess; for a real upload, of its best recovered image."""
    psnr_mean_image: float
    """PSNR in dB of the mean held-out image (for a real upload: against the image closest to it)."""
    ncc: float
    """Normalised cross-correlation of the best guess; for a real upload the median over its images."""
    image: Picture
    identification_rank: Count | None = None
    """Rank of the true candidate, 1 for an identification; null if not computed. The true candidate is drawn
    anew for each victim and round; ties are broken at random.
    """
    identification_tied: Count | None = None
    """Number of candidates as likely as the true one, including the true one."""
    identification_credit: float | None = None
    """Score of the identification: 1/tied if the true candidate is among the likeliest, else 0."""
    candidates: Some | None = None
    identification_rank_same_class: Count | None = None
    """Rank among candidates of the true image's class."""
    identification_tied_same_class: Count | None = None
    identification_credit_same_class: float | None = None
    candidates_same_class: Some | None = None
    psnr_class_mean: float | None = None
    """PSNR in dB of the mean held-out image of the true class, a guess from the label alone."""
    psnr_median: float | None = None
    """For a real upload: median PSNR over its images."""
    ssim: float | None = None
    ncc_non_members: float | None = None
    """Largest correlation with a random decoy; for a real upload as `ncc`, for held-out images."""
    label_recovered: bool | None = None
    """Whether the label read from the last bias's gradient is right."""
    cap: float | None = None
    """Least upper bound on the identification rate; null for controls."""
    caps: RunCaps = field(default_factory=list)
    """Upper bounds: `name`, `label`, `value`, `vacuous`."""
    rounds_observed: Count = 1
    """Number of uploads of the same values that the attacker saw."""
    images: Some = 1
    """Number of images that were looked for in the upload."""
    recovered: Count | None = None
    """For a real upload: number of images recovered with 20 dB or more."""
    recovered_low: float | None = None
    """Lower end of the 95 % interval of that share (Wilson)."""
    recovered_high: float | None = None
    recovered_non_members: float | None = None
    """The same share for as many held-out images: what choosing the closest guess recovers by chance."""
    read: Count | None = None
    """For a real upload: number of its images that can be read (`attacks.findings.verdict.reads`)."""
    read_non_members: float | None = None
    pairs: Pairs = field(default_factory=list)
    """For a real upload: `original`, `image` and `psnr` of up to 20 of its images, best first."""


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
    """PSNR in dB."""
    image: Picture


@dataclass(frozen=True)
class Ended(Event):
    event: ClassVar[str] = "end"
    omitted = ("measured", "from_sum", "from_heap")

    status: Status
    round: Count
    """Last finished round."""
    accuracy: Share
    message: str
    """Reason for any status but “completed”."""
    weights_sha256: str
    """SHA-256 of the final global model, float32 little-endian."""
    ledger: Ledger = field(default_factory=list)
    """An entry per client (ldp_core.accounting.ledger_entry); above a thousand, distinct entries."""
    accuracy_unnoised: Share | None = None
    """Accuracy of the model that the last round's uploads without noise would give."""
    held_out: Count = 0
    """Number of scored held-out samples …"""
    right: Packed = ""
    """… and mask of the correctly classified ones (`packed`), for comparing runs sample by sample."""
    measured: MeasuredBounds = field(default_factory=list)
    """For each attacked client, one upload and all its uploads: lower bound `epsilon_lower` from trials of an
    attack (null if none, with `why`), and `most`, the largest bound that so many trials could show. All
    bounds hold together with `confidence`. Absent if an upload's distribution is unknown.
    """
    from_sum: FromSum = field(default_factory=list)
    """If only a sum is seen: for each attacked client, how often its image was picked out of the candidates
    (`right` of `tries`); `helped` if the attacker knows all other uploads. Absent elsewhere.
    """
    from_heap: FromHeap = field(default_factory=list)
    """If a heap without names is seen: for each attacked client, how often the server tells which of its
    messages the client sent (`question` "who"), and which candidate the client holds ("what"), also without
    noise (`clean`); `cap`: the largest share that ε allows. Absent elsewhere.
    """
    seconds: float | None = None
    """Duration in seconds, added by the caller, since the simulation has no clock."""


def packed(flags: ArrayLike) -> str:
    """Flags (n,) as text, a bit each in base64; their number is not stored."""
    return base64.b64encode(np.packbits(np.asarray(flags, dtype=bool)).tobytes()).decode()


def unpacked(text: str, count: int) -> NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(base64.b64decode(text), dtype=np.uint8), count=count).astype(bool)
