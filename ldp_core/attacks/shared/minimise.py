"""Many small minimisations side by side, each with its own history and step size; only evaluation is batched.

L-BFGS by Nocedal and Wright 2006, algorithm 7.4, with backtracking. A row with a value of NaN stops alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

HISTORY = 20
"""Number of stored pairs of step and gradient change per row."""
TRIES = 12
"""Largest number of halvings of a step, after which a row stops."""
DESCENT = 1e-4
"""Share of the descent predicted by the slope that a step must reach (Armijo)."""
STALE, LESS = 20, 0.995
"""A row stops if its value has not fallen below LESS times itself within STALE steps."""
FALLS = (3 / 8, 5 / 8, 7 / 8)
"""Shares of the search at which signed steps become ten times smaller (Geiping et al. 2020)."""
RATE, BETAS, TINY = 0.1, (0.9, 0.999), 1e-8

Memory = dict[str, NDArray[Any]]
"""A descent's attributes."""
GIVEN = ("_objective", "_iterations", "_enough")
Objective = Callable[["torch.Tensor", "torch.Tensor"], "tuple[torch.Tensor, torch.Tensor]"]
"""Function from points (k, n) and problem numbers (k,) to values (k,) and slopes (k, n)."""


class Descent(ABC):
    """A minimisation that can be suspended after any step and resumed with the same bits."""

    def __init__(
        self, objective: Objective, start: torch.Tensor, iterations: int, enough: float = 0.0
    ) -> None:
        """From `start` (N, n) for at most `iterations` steps; a row stops at a value of at most `enough`."""
        import torch

        self._objective, self._iterations, self._enough = objective, iterations, enough
        self.x = start.clone()
        """Current points, (N, n)."""
        self.value, self._slope = objective(self.x, torch.arange(len(start), device=start.device))
        """Values (N,) and slopes (N, n) at the current points."""
        self._alive = torch.isfinite(self.value) & (self.value > enough)
        self.taken = 0
        self._begin()

    @property
    def done(self) -> bool:
        return self.taken >= self._iterations or not bool(self._alive.any())

    def advance(self, until: int) -> None:
        """Continue until `until` steps have been taken in total."""
        while self.taken < until and not self.done:
            self._step()
            self.taken += 1

    def memory(self) -> Memory:
        """A copy of all that changes from step to step."""
        return {name: _plain(one) for name, one in vars(self).items() if name not in GIVEN}

    def resume(self, memory: Memory) -> None:
        """Go on from the memory of a descent with the same objective."""
        import torch

        def tensor(array: NDArray[Any]) -> torch.Tensor:
            return torch.from_numpy(array.copy()).to(self.x.device)

        self.taken = int(memory["taken"])
        for name, array in memory.items():
            if name != "taken":
                listed = isinstance(getattr(self, name), list)
                setattr(self, name, [tensor(one) for one in array] if listed else tensor(array))

    @abstractmethod
    def _begin(self) -> None:
        """Set up what is remembered between steps."""

    @abstractmethod
    def _step(self) -> None:
        """Take one step in all active rows."""


def _plain(value: Any) -> NDArray[Any]:
    if isinstance(value, list):
        return np.stack([_plain(one) for one in value]) if value else np.empty(0)
    return np.array(value if isinstance(value, int) else value.cpu().numpy())


class Curved(Descent):
    """L-BFGS with backtracking; a row stops where no step lowers its value."""

    def _begin(self) -> None:
        self._steps: list[torch.Tensor] = []
        self._bends: list[torch.Tensor] = []
        self._before = self.value.clone()

    def _step(self) -> None:
        import torch

        direction = -self._curved()
        promised = (direction * self._slope).sum(1)
        uphill = promised >= 0
        direction[uphill] = -self._slope[uphill]
        promised = torch.where(uphill, -(self._slope**2).sum(1), promised)
        first = 1 / self._slope.abs().sum(1).clamp(min=1)
        size = torch.ones_like(self.value) if self._steps else first
        fresh, there = self._alive.clone(), self.x.clone()
        new_value, new_slope = self.value.clone(), self._slope.clone()
        for _ in range(TRIES):
            rows = fresh.nonzero()[:, 0]
            if not len(rows):
                break
            tried = self.x[rows] + size[rows, None] * direction[rows]
            found, found_slope = self._objective(tried, rows)
            good = found <= self.value[rows] + DESCENT * size[rows] * promised[rows]
            kept = rows[good]
            there[kept], new_value[kept], new_slope[kept] = tried[good], found[good], found_slope[good]
            fresh[kept] = False
            size[rows] /= 2
        self._alive &= ~fresh & (new_value > self._enough)
        if self.taken % STALE == STALE - 1:
            self._alive &= new_value < LESS * self._before
            self._before = new_value
        self._steps = [*self._steps, there - self.x][-HISTORY:]
        self._bends = [*self._bends, new_slope - self._slope][-HISTORY:]
        self.x, self.value, self._slope = there, new_value, new_slope

    def _curved(self) -> torch.Tensor:
        """Quasi-Newton direction from the history, without pairs of near-zero curvature."""
        import torch

        steps, bends = self._steps, self._bends
        q, shares = self._slope.clone(), []
        for step, bend in zip(reversed(steps), reversed(bends), strict=True):
            product = (step * bend).sum(1)
            usable = product > 1e-12 * (bend**2).sum(1)
            inverse = torch.where(usable, 1 / torch.where(usable, product, 1.0), 0.0)
            share = inverse * (step * q).sum(1)
            q -= share[:, None] * bend
            shares.append((share, inverse))
        if steps:
            product, square = (steps[-1] * bends[-1]).sum(1), (bends[-1] ** 2).sum(1)
            tiny = torch.finfo(q.dtype).tiny
            q *= torch.where(product > 0, product / square.clamp(min=tiny), 1.0)[:, None]
        for (share, inverse), step, bend in zip(reversed(shares), steps, bends, strict=True):
            q += (share - inverse * (bend * q).sum(1))[:, None] * step
        return q


class Signed(Descent):
    """Adam on the signs of the slopes, within [0, 1] (Geiping et al. 2020)."""

    def _begin(self) -> None:
        self._mean, self._square = (self.x.new_zeros(self.x.shape) for _ in range(2))

    def _step(self) -> None:
        import torch

        number, sign = self.taken + 1, self._slope.sign()
        self._mean.lerp_(sign, 1 - BETAS[0])
        self._square.lerp_(sign**2, 1 - BETAS[1])
        scale = (self._square / (1 - BETAS[1] ** number)).sqrt() + TINY
        rate = RATE * 0.1 ** sum(self.taken >= fall * self._iterations for fall in FALLS)
        there = (self.x - rate * self._mean / (1 - BETAS[0] ** number) / scale).clamp(0, 1)
        rows = self._alive.nonzero()[:, 0]
        value, slope = self._objective(there[rows], rows)
        finite = torch.isfinite(value)
        kept = rows[finite]
        self.x[kept], self.value[kept], self._slope[kept] = there[kept], value[finite], slope[finite]
        self._alive[rows[~finite]] = False
        self._alive &= self.value > self._enough
