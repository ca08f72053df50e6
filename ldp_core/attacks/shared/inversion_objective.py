"""Distance between candidate images' gradients and observed ones, with its slope."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ldp_core.attacks.observation import Observation

if TYPE_CHECKING:
    import torch

    from ldp_core.models._recorded import Factors

Distance = Literal["squared", "cosine"]
OUTER = 2**16
"""Number of a layer's weights from which on its gradient is compared as an outer product, not formed."""
SMOOTH = 1e-3
"""Pixel difference below which total variation is smoothed, so that it is differentiable."""


@dataclass
class Goal:
    """Objective of the search for n images."""

    gradients: torch.Tensor
    """Observed gradients, (n, d)."""
    known: torch.Tensor | None
    """Mask (n, d), 1 where the gradient is known; None if everywhere."""
    targets: torch.Tensor | None
    """Labels or slopes, (n, classes); None if labels are optimised as well."""
    edges: torch.Tensor
    """Weight of total variation, (n,)."""
    slopes: bool = False
    """Whether `targets` are slopes of the loss with respect to the scores."""
    before: tuple[torch.Tensor, torch.Tensor] | None = None
    """Factor and offset of each pixel, (n, pixels), applied before the network."""


class Match:
    """The distance of gradients as a function of images, and its slope."""

    def __init__(self, seen: Observation, distance: Distance, goal: Goal, rows: int) -> None:
        """`seen` is any of the observations (all of one model); `rows` images are evaluated at once."""
        self._seen, self._distance, self._goal, self._rows = seen, distance, goal, rows
        self._parameters = seen.parameters(goal.gradients)
        self._pixels = math.prod(seen.shape)
        self._size = (goal.gradients**2).sum(1).clamp(min=1e-30)

    def __call__(self, at: torch.Tensor, which: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Distances (k,) of gradients and their slopes (k, n) by pixel, at images (k, n) of the problems
        numbered `which` (k,). If memory runs out, half as many at once are evaluated, for good.
        """
        import torch

        while True:
            try:
                parts = (slice(first, first + self._rows) for first in range(0, len(at), self._rows))
                found = [self._evaluate(at[part], which[part]) for part in parts]
            except (MemoryError, RuntimeError) as error:
                if self._rows == 1 or not _is_memory(error):
                    raise
                self._rows = max(1, self._rows // 2)
                continue
            if not found:
                return at.new_zeros(0), at.new_zeros(at.shape)
            values, slopes = zip(*found, strict=True)
            return torch.cat(values), torch.cat(slopes)

    def _evaluate(self, at: torch.Tensor, which: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        import torch

        goal, seen = self._goal, self._seen
        at = at.detach().requires_grad_()
        x = at[:, : self._pixels].reshape(-1, *seen.shape)
        targets = at[:, self._pixels :].softmax(1) if goal.targets is None else goal.targets[which]
        begun = x
        if goal.before is not None:
            factor, addend = (part[which].view_as(x) for part in goal.before)
            begun = factor * x + addend
        parts = seen.model.traced(self._parameters, begun, targets, goal.slopes)
        known = None if goal.known is None else goal.known[which]
        apart = self._apart(parts, goal.gradients[which], known, self._size[which])
        values = apart + goal.edges[which] * total_variation(x)
        (slopes,) = torch.autograd.grad(values.sum(), at)
        return values.detach(), slopes

    def _apart(
        self, parts: list[Factors], wanted: torch.Tensor, known: torch.Tensor | None, size: torch.Tensor
    ) -> torch.Tensor:
        """Distances (k,) between gradients and the observed ones (k, d), whose squared lengths are `size`."""
        import torch

        first = 0
        squared, dot, square = (torch.zeros_like(size) for _ in range(3))
        cosine = self._distance == "cosine"
        for part, parameter in zip(parts, self._parameters.values(), strict=True):
            where = slice(first, first + parameter.numel())
            there, first = wanted[:, where], where.stop
            if part.rank_one and known is None and parameter.numel() >= OUTER:
                inner, own = part.dot(there), part.square()
                squared = squared + own - 2 * inner + (there**2).sum(1)
                dot, square = dot + inner, square + own
                continue
            whole = part.whole() if known is None else part.whole() * known[:, where]
            if cosine:
                dot, square = dot + (whole * there).sum(1), square + (whole**2).sum(1)
            else:
                squared = squared + ((whole - there) ** 2).sum(1)
        if cosine:
            return 1 - dot / (size * square).clamp(min=1e-30).sqrt()
        return squared / size


def total_variation(x: torch.Tensor) -> torch.Tensor:
    """Total variation per pixel, (n,), of images (n, …, height, width)."""
    count = x[0].numel()
    across = x[..., 1:] - x[..., :-1]
    down = x[..., 1:, :] - x[..., :-1, :]
    found: torch.Tensor = sum(
        ((step**2 + SMOOTH**2).sqrt() - SMOOTH).flatten(1).sum(1) for step in (across, down)
    )  # type: ignore[assignment]
    return found / count


def _is_memory(error: Exception) -> bool:
    said = str(error).lower()
    return isinstance(error, MemoryError) or "out of memory" in said or "can't allocate memory" in said
