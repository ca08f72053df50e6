"""Privacy loss of floating-point rounding: outputs that only one input can produce.

A float32 uniform is one of 2²⁴ numbers, so an input has at most 2²⁴ outputs, on a lattice that hardly meets
another input's (Mironov 2012). An output of one lattice alone identifies the input, whatever ε is. All
results come from running `perturb` on given draws.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.harmony import Harmony
from ldp_core.mechanisms.ldpsign import LDPSign
from ldp_core.mechanisms.privunit import PrivUnit
from ldp_core.mechanisms.shared.caps import caps_at
from ldp_core.mechanisms.shared.gaussian_noise import GaussianNoise
from ldp_core.mechanisms.shared.law import Law
from ldp_core.mechanisms.shared.scale_free import ScaleFree
from ldp_core.streams import Substitute, stream

DRAWS = 2**24
"""Number of different float32 uniforms."""
COINS = 2**53
"""Number of different float64 uniforms, of which one is Harmony's coin."""
CELL = 2**10
"""Spacing of the draws that are evaluated first."""
FARTHEST = 16.0
"""Largest magnitude of a normal draw."""
SAMPLE = 2**17
"""Number of outputs in a sample where draws are too many to enumerate."""

Answers = NDArray[np.float32]


@dataclass(frozen=True)
class GivenAway:
    """Privacy loss of float32 outputs at one ε and safe range, between the range's two ends."""

    low: float | None
    """Probability that the low end's output cannot come from the high end; None if unknown."""
    high: float | None
    """Probability that the high end's output cannot come from the low end."""
    loss: float | None
    """Largest log ratio of the probabilities of an output; infinite if only one end produces it."""
    exact: bool = True
    """True if all draws were enumerated; else the shares are lower bounds from a sample."""

    @property
    def share(self) -> float | None:
        """Larger probability, over the two ends, of an output that gives its input away: no δ is smaller."""
        return None if self.low is None or self.high is None else max(self.low, self.high)


class Given(Substitute):
    """Random generator that returns given values, so that every draw can be enumerated."""

    def __init__(self, draws: NDArray[Any]) -> None:
        super().__init__()
        self._draws, self._next = draws.ravel(), 0

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        first, self._next = self._next, self._next + int(np.prod(size))
        return self._draws[first : self._next].reshape(size).astype(dtype)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return self.random(size, dtype)


@dataclass(frozen=True)
class Client:
    """One input value: its output as a function of the draw, numbered from 0."""

    mechanism: Mechanism
    value: float
    epsilon: float
    low: float
    high: float

    @property
    def normal(self) -> bool:
        """True for normal draws, enumerated as float32 numbers in rising order."""
        return not isinstance(self.mechanism, ScaleFree)

    @property
    def draws(self) -> int:
        """Number of distinct draws; capped for normal draws."""
        return 2 * int(np.float32(FARTHEST).view(np.int32)) + 1 if self.normal else DRAWS

    def answers(self, numbers: NDArray[np.int64]) -> Answers:
        """Float32 outputs of the draws with these numbers."""
        if self.normal:
            below = numbers - self.draws // 2
            bits = np.abs(below).astype(np.int32).view(np.float32)
            drawn: Any = np.where(below < 0, -bits, bits)
        else:
            drawn = (numbers * 2.0**-24).astype(np.float32)
        values = np.full(numbers.shape, self.value, np.float32)
        return self.mechanism.perturb(values, self.epsilon, self.low, self.high, Given(drawn))


def countable(mechanism: Mechanism) -> bool:
    """Whether an output depends on the weight and one draw only, so that draws can be enumerated."""
    if mechanism.scope != "coordinate":
        return False
    if isinstance(mechanism, ScaleFree):  # a printed scale hangs on the whole upload
        return bool(np.isfinite(mechanism.privacy_loss(1.0, -1.0, 1.0)))
    return isinstance(mechanism, GaussianNoise | LDPSign)


def can_give(client: Client, answers: Answers) -> NDArray[np.bool_]:
    """Whether the client's value can produce each of the given outputs: where outputs rise between two
    CELL-th draws, those between are searched by bisection; where they fall, and at both ends, all are
    evaluated.
    """
    cell = CELL * 256 if client.normal else CELL
    knots = np.append(np.arange(0, client.draws - 1, cell), client.draws - 1)
    seen = client.answers(knots)
    turns = np.flatnonzero(seen[1:] < seen[:-1])
    given = np.zeros(answers.shape, dtype=bool)
    tried = turns if client.normal else np.union1d(turns, [0, len(knots) - 2])
    for turn in tried:
        every = client.answers(np.arange(knots[turn], knots[turn + 1] + 1))
        given |= np.isin(_bits(answers), _bits(every))
    for first, last in zip([0, *(turns + 1)], [*turns, len(knots) - 1], strict=True):
        rising = seen[first : last + 1]
        left = np.flatnonzero(~given & (answers >= rising[0]) & (answers <= rising[-1]))
        if left.size:
            given[left] = _found(client, answers[left], knots[first : last + 1], rising)
    return given


def _found(client: Client, answers: Answers, knots: NDArray[np.int64], rising: Answers) -> Any:
    """Whether a draw between two evaluated ones, over which outputs rise, produces each output."""
    place = np.searchsorted(rising, answers)
    top, bottom = knots[place], knots[np.maximum(place - 1, 0)]
    while (top - bottom > 1).any():
        middle = (top + bottom) // 2
        over = client.answers(middle) >= answers
        top, bottom = np.where(over, middle, top), np.where(over, bottom, middle)
    given = np.zeros(answers.shape, dtype=bool)
    for step in (0, 1, 2, -1, -2):  # a logarithm in float32 may fall by a step where it should rise
        near = np.clip(top + step, knots[0], knots[-1])
        given |= _bits(client.answers(near)) == _bits(answers)
    return given


def given_away(mechanism: Mechanism, epsilon: float, low: float, high: float) -> GivenAway:
    """Privacy loss that float32 rounding adds between the ends of a range; unknown for mechanisms other than
    the `countable` ones, Harmony, PrivUnit and Gaussian noise on whole uploads. Takes seconds, and 0.5 GB.
    """
    if isinstance(mechanism, Harmony):
        return _harmony(mechanism, epsilon, low, high)
    if isinstance(mechanism, PrivUnit):
        norm, unit = mechanism.norm, float(caps_at(np.array(epsilon), 1).scale)
        both = np.array([0.0, 1.0]), np.array([0.6, 0.8])
        slopes = [norm * (1 - one[0] ** 2) / unit for one in both]
        sized = mechanism.model_copy(update={"dimension": 2})
        return _of_uploads(sized.at(epsilon, low, high), [norm * one for one in both], slopes, 4)
    if isinstance(mechanism, GaussianNoise) and mechanism.scope == "upload" and mechanism.norm is None:
        law = mechanism.model_copy(update={"dimension": 1}).at(epsilon, low, high)
        middle, half = (low + high) / 2, (high - low) / 2
        ends = [np.array([middle + part * half]) for part in (0.0, 0.6)]
        return _of_uploads(law, ends, 2 * [float(law.sigma)], 1)
    if not countable(mechanism):
        return GivenAway(None, None, None, exact=False)
    clients = [Client(mechanism, end, epsilon, low, high) for end in (low, high)]
    if clients[0].normal:
        shares = []
        for one, other in (clients, clients[::-1]):
            values = np.full(SAMPLE, one.value, np.float32)
            sent = mechanism.perturb(values, epsilon, low, high, stream(0, "audit"))
            shares.append(float(1 - can_give(other, sent).mean()))
        return _by_sample(shares)
    counted = [np.unique(_bits(end.answers(np.arange(DRAWS))), return_counts=True) for end in clients]
    return _compared(*counted)


def _compared(one: Any, other: Any) -> GivenAway:
    """Compare two distributions of outputs, each as (outputs, number of draws)."""
    (a, many), (b, much) = one, other
    at = np.minimum(np.searchsorted(b, a), len(b) - 1)
    both = b[at] == a
    low, high = (1 - float(c.sum() / n.sum()) for c, n in ((many[both], many), (much[at[both]], much)))
    if low or high:
        return GivenAway(low, high, np.inf)
    return GivenAway(0.0, 0.0, float(np.abs(np.log(many / much[at])).max()))


def _harmony(mechanism: Harmony, epsilon: float, low: float, high: float) -> GivenAway:
    """Harmony: the output is high up to one value of the coin, which bisection finds."""
    counted = []
    law = mechanism.model_copy(update={"dimension": 1}).at(epsilon, low, high)
    for end in (low, high):
        least, most = 0, COINS  # tosses that give the high answer
        while least < most:
            middle = (least + most) // 2
            toss = Given(np.array([0.0, middle / COINS]))
            sent = law.perturb(np.array([end], np.float32), toss)
            least, most = (middle + 1, most) if sent[0] > (low + high) / 2 else (least, middle)
        tosses = np.array([COINS - least, least])
        counted.append((np.flatnonzero(tosses), tosses[tosses > 0]))
    return _compared(*counted)


def _of_uploads(law: Law[Any], ends: list[Floats], slopes: list[float], draws: int) -> GivenAway:
    """Share of sampled outputs for the first weight of one of two uploads that the other cannot produce.

    Args:
        slopes: of each upload's output in that weight's own draw, in which it is linear.
        draws: number of normal draws for an upload.
    """
    shares, generator = [], stream(0, "audit")
    for one, other in ((0, 1), (1, 0)):
        values, others = (np.tile(np.float32(ends[i]), (SAMPLE, 1)) for i in (one, other))
        sent, drawn = law.perturb(values, generator)[:, 0], generator.standard_normal((SAMPLE, draws))
        for _ in range(2):
            given = law.perturb(others, Given(drawn))[:, 0]
            drawn[:, 0] += (sent - given).astype(np.float64) / slopes[other]
        given = law.perturb(others, Given(drawn))[:, 0]
        shares.append(float((_bits(given) != _bits(sent)).mean()))
    return _by_sample(shares)


def _by_sample(shares: list[float]) -> GivenAway:
    return GivenAway(shares[0], shares[1], np.inf if max(shares) else None, exact=False)


def _bits(answers: Answers) -> NDArray[np.uint32]:
    """Outputs as bit patterns, since 0 and −0 differ."""
    return answers.view(np.uint32)
