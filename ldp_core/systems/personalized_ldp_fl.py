"""Personalized LDP-FL (paper 001): Gaussian noise for clients with equal distributions, signs for others.

Case "iid": clients train on a new sample of their records each round, and add Gaussian noise of equation 4.
Case "non_iid": they send the sign of each noisy weight, and the server takes the sign of the sum. The
experiment's aggregator weights them (A, B or C).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pydantic_core import PydanticCustomError

from ldp_core.errors import Problem, one_of, shown
from ldp_core.fields import Choice, Number, Whole, Written, refused
from ldp_core.limits import RECORDS, SAMPLING, number
from ldp_core.mechanisms.base import Form, Mechanism
from ldp_core.systems.base import Indices, Participation, Public, System, Vectors

CASES = ("iid", "non_iid")
STARTS = ("random", "zero")
RAW = {"digits": 16.0, "mnist": 255.0, "fashion_mnist": 255.0}
"""Value of the brightest raw pixel, as an integer; this program scales pixels to [0, 1]."""
AS_IN_PAPER = {"digits": 16.0, "mnist": 255.0}
"""Factors on pixels where the paper's range ±200 and its figures indicate raw pixels; ±2 does not."""
PAPERS = "paper"
"""As many records a client as the paper's δ = 1/|D_i| means."""
UNIT = 1.0
"""The paper's sensitivity, whatever weights are clipped to."""


class PaperSetting(NamedTuple):
    """Paper 001's settings for a data set in one of the cases."""

    clients: int
    rounds: int
    batch: int
    delta: float
    clip: float
    budgets: tuple[str, ...]
    sampling: float = 0.8
    """Sampling probability q, for clients with equal distributions only."""
    images: int | None = None
    """Records of a client where δ = 1/|D_i| means fewer than it is dealt; None for all."""


DIGITS = ("digits_llh", "digits_lmh", "digits_lhh")
FASHION = ("fashion_llh", "fashion_lmh", "fashion_lhh")
COVTYPE, VOTES = ("covtype_lh", "covtype_lmh"), ("votes_lh", "votes_lmh")
SETTINGS = {
    ("iid", "digits"): PaperSetting(3, 10, 50, 1 / 500, 200, DIGITS),
    ("iid", "fashion_mnist"): PaperSetting(3, 20, 50, 1 / 1000, 2, FASHION, 0.9, 1000),
    ("iid", "covtype"): PaperSetting(10, 50, 1000, 1 / 50_000, 2, COVTYPE),
    ("non_iid", "digits"): PaperSetting(10, 10, 400, 1e-5, 4, VOTES),
    ("non_iid", "fashion_mnist"): PaperSetting(10, 10, 200, 1e-5, 4, VOTES),
    ("non_iid", "covtype"): PaperSetting(10, 20, 2500, 1e-5, 2, COVTYPE),
}
STANDS_FOR = {"mnist": "digits"}
"""Actual data set by the paper's name: what the paper calls MNIST are scikit-learn's digits."""
DATA = tuple(dict.fromkeys(dataset for _, dataset in SETTINGS))


def _records(value: Any) -> int | str | None:
    if value in (PAPERS, "all", None):
        return None if value == "all" else value
    written = int(value) if isinstance(value, str) and value.isdecimal() else value
    try:
        return Whole(RECORDS).check(written)
    except PydanticCustomError:
        raise refused(f"must be paper, all or a whole number {RECORDS}; got {shown(value)}") from None


def _spelled(value: Any) -> str:
    return "all" if value is None else str(value)


class RecordSampling(Participation):
    """In every round a client trains on each of its records with probability q."""

    def __init__(
        self, public: Public, arrays: dict[str, NDArray[Any]] | None, q: float, most: int | None
    ) -> None:
        super().__init__(public, arrays)
        self._q, self._most = q, most

    def records(self, shards: Sequence[Indices], generator: np.random.Generator) -> Sequence[Indices]:
        shards = [shard[: self._most] for shard in shards]
        drawn = (shard[generator.random(len(shard)) < self._q] for shard in shards)
        return [some if len(some) else shard[:1] for some, shard in zip(drawn, shards, strict=True)]


class PersonalizedLDPFL(System):
    """The paper's settings for each of its data sets; A, the plain mean, by default."""

    label = "Personalized LDP-FL"
    summary = (
        "Clients add Gaussian noise, or send only signs where their data differ, each by its own budget; the "
        "server lets those count more that asked for less privacy."
    )
    formula = (
        r"\sigma_i=\sqrt{\tfrac{4q^2R}{1-q}\big(\tfrac2{\varepsilon_i^2}\ln\tfrac1\delta"
        r"+\tfrac1{\varepsilon_i}\big)},\quad \alpha_i\propto\tfrac1{\sigma_i}"
    )
    reference = "Paper 001 (Wu, Xu and Zhu, Applied Sciences 2023)"
    order = 2
    data = DATA
    left_open = ("local.epochs", "partition.alpha")
    readings = (
        "One local pass over the sampled records: the paper does not say how many.",
        "Digits are trained on raw pixels (0 to 16), which the range ±200 and the figures speak for; "
        "Fashion-MNIST on pixels in [0, 1]; cover types in standard deviations.",
        "Dirichlet's concentration is 1: the paper does not say which.",
        "Signs without noise are those at ε 700: the paper sends sign(G).",
        "A round in which the lottery draws nobody leaves the model as it is: the paper divides by zero.",
    )
    altered = (
        "scikit-learn's “optimal” step counts samples; here it counts batches, and begins anew in a round.",
        "The test set is the data set's own; the paper's for digits has 300 images in one case and 2 400 in "
        "the other.",
        "Sampling records lowers no ε in the ledger: an upload may be any vector in the range, whatever it "
        "was trained on.",
    )

    case: Annotated[str, Choice(CASES)] = Field("iid", description="clients' data")
    sampling: Annotated[float | None, Number(SAMPLING, optional=True)] = Field(
        None, description="share of its records that a client trains on, q, if not the paper's"
    )
    pixels: Annotated[str, Choice(("paper", "raw", "unit"))] = Field(
        "paper", description="pixels: as the paper's figures suggest, as whole numbers, or from 0 to 1"
    )

    start: Annotated[str, Choice(STARTS)] = Field(
        "zero", description="the first model: random, or all zeros as section 3 has it"
    )
    images: Annotated[int | str | None, Written(_records, _spelled)] = Field(
        PAPERS, description="records that a client has at most: “paper”, “all”, or a number"
    )

    def matters(self, parameter: str) -> bool:
        return parameter not in ("sampling", "images") or self.case == "iid"

    def initial(self, weights: Vectors) -> Vectors:
        return np.zeros_like(weights) if self.start == "zero" else weights

    def fill(self, dataset: str | None) -> dict[str, Any]:
        name = dataset or DATA[0]
        setting = self._setting(name)
        alike = self.case == "iid"
        noise = {"calibration": "paper001", "sampling": self._q(name), "sensitivity": UNIT, "per": "weight"}
        return {
            "dataset": name,
            "partition": {"kind": "iid"} if alike else {"kind": "dirichlet", "alpha": 1.0},
            "clients": {
                "count": setting.clients,
                "epsilon": setting.budgets[0],
                "range": setting.clip,
                "epsilon_scope": "mechanism",
            },
            "model": "logistic_regression",
            "local": {"optimizer": "optimal", "epochs": 1, "batch_size": setting.batch},
            "target": "weights",
            "mechanism": {"name": "gaussian", "delta": setting.delta, **noise}
            if alike
            else {"name": "ldpsign", "delta": setting.delta},
            "selection": {"kind": "all"},
            "aggregator": {"name": "mean"} if alike else {"name": "sign_majority", "votes": "equal"},
            "rounds": setting.rounds,
        }

    def also(self, dataset: str) -> Mapping[str, tuple[Any, ...]]:
        setting, ways = self._setting(dataset), {"aggregator.votes": ("equal", "inverse_std", "lottery")}
        if self.case == "iid":
            ways = {"aggregator.name": ("mean", "inverse_std", "probability_selection")}
        same = {"system.case": CASES, "system.images": (PAPERS, setting.images)}
        return {"clients.epsilon": setting.budgets, **same, **ways}

    def scale(self, dataset: str) -> float:
        kept = {"raw": RAW, "unit": {}, "paper": AS_IN_PAPER}[self.pixels]
        return kept.get(dataset, 1.0)

    def problems(self, public: Public) -> Iterator[Problem]:
        name, mechanism = public.dataset, public.mechanism
        if name not in (*DATA, *STANDS_FOR):
            why = f"must be {one_of([*DATA, *STANDS_FOR])} for {self.name}, whose paper has settings for no "
            why += (
                f"other data; got {name}; without a system its mechanisms and aggregators can be used on it"
            )
            yield Problem("dataset", why)
            return
        if self.pixels == "raw" and name not in RAW:
            why = f"must be paper or unit on {name}, whose numbers are no pixels; got raw"
            yield Problem("system.pixels", why)
        own, q = mechanism.parameters(), self._q(name)
        printed = own.get("calibration") == "paper001"
        if self.case == "iid" and printed and own["sampling"] != q:
            why = f"must be {number(q, 6)}, the share of its records that a client of {self.name} trains on; "
            got = number(own["sampling"], 6)
            why += f"got {got}; set system.sampling and mechanism.sampling to the same"
            yield Problem("mechanism.sampling", why)

    def made(self, mechanism: Mechanism, form: Form) -> Mechanism:
        if form == "corrected" and self._takes_one(mechanism):
            return mechanism.model_copy(update={"sensitivity": None})
        return mechanism

    def corrects(self, public: Public) -> str:
        if not self._takes_one(public.mechanism):
            return ""
        low, high = public.ranges
        widths = sorted({float(width) for width in high - low})
        needed = " to ".join(number(width, 6) for width in dict.fromkeys((widths[0], widths[-1])))
        return (
            f"Corrected, σ covers all that a weight can be, {needed} where the paper takes 1: the promised ε "
            "begins to hold for a weight, with as many times the noise."
        )

    @staticmethod
    def _takes_one(mechanism: Mechanism) -> bool:
        """Whether σ is equation 4's, with the paper's own sensitivity."""
        own = mechanism.parameters()
        return own.get("calibration") == "paper001" and own["sensitivity"] == UNIT

    def joins(self, public: Public, arrays: dict[str, NDArray[Any]] | None = None) -> Participation:
        if self.case == "non_iid":
            return Participation(public, arrays)
        most = self._setting(public.dataset).images if isinstance(self.images, str) else self.images
        return RecordSampling(public, arrays, self._q(public.dataset), most)

    @property
    def plain(self) -> bool:
        return False

    def readable(self, mechanism: Mechanism, form: Form) -> bool:
        """True: an audit assumes that its image was sampled, the worst case."""
        return True

    def server_knows(self, public: Public) -> tuple[str, ...]:
        white = self.scale(public.dataset)
        return (f"that white is {number(white, 6)} in training",) if white != 1 else ()

    def _q(self, dataset: str) -> float:
        return self.sampling if self.sampling is not None else self._setting(dataset).sampling

    def _setting(self, dataset: str) -> PaperSetting:
        return SETTINGS.get((self.case, STANDS_FOR.get(dataset, dataset)), SETTINGS[self.case, DATA[0]])
