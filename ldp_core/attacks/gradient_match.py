"""Gradient matching (DLG): the image whose gradient comes closest to the one that was sent.

Where no division reads the image out of the first layer, a smooth network can still be searched: the
candidate's gradient is computed as the client did, and its distance to the observed one is followed
downhill, by a gradient of a gradient (reference: attacks, section 3). The label is read off the last
bias, or sought together with the image.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.attacks.base import Effort, Facts, Progress, Reconstructor, no_dense_start, no_picture
from ldp_core.attacks.observation import Image, Observation
from ldp_core.attacks.shared.minimise import minimise
from ldp_core.fields import Choice, Whole
from ldp_core.limits import RESTARTS, SEARCH_STEPS
from ldp_core.mechanisms.base import Floats
from ldp_core.models.base import Model, Shape

if TYPE_CHECKING:
    import torch

LABELS = ("read", "sought")
EACH = 1.5
"""Gradients that a step takes on average: some steps are tried shorter (1.3 to 2.2 were counted)."""
ENOUGH = 1e-14
"""A squared relative distance that float32, in which uploads are sent, does not tell from none."""
ROWS = 256
"""Candidates that are searched side by side, so that memory stays small."""


class GradientMatch(Reconstructor):
    """L-BFGS on the squared distance of gradients, all victims and restarts side by side."""

    label = "Gradient matching"
    order = 6
    summary = (
        "Searches for the image whose gradient comes closest to the one that was sent: exact for smooth "
        "networks without noise, and slower than any closed form."
    )
    formula = r"\hat x=\arg\min_x\frac{\lVert\nabla_w\ell(x,y)-g\rVert^2}{\lVert g\rVert^2}"
    reference = "Zhu, Liu and Han 2019 (DLG); Zhao, Mopuri and Bilen 2020 (the label); attacks, section 3"
    together = True

    iterations: Annotated[int, Whole(SEARCH_STEPS)] = Field(
        int(SEARCH_STEPS.default), description="steps of the search, at most"
    )
    restarts: Annotated[int, Whole(RESTARTS)] = Field(
        int(RESTARTS.default), description="searches from other random images; the best one counts"
    )
    labels: Annotated[str, Choice(LABELS)] = Field(
        "read", description="the label: read off the last bias, or sought together with the image"
    )

    @classmethod
    def unfit(cls, model: Model, shape: Shape, classes: int) -> str:
        why = no_picture(shape)
        if why or model.smooth or not no_dense_start(model, shape, classes):
            return why
        return f"“{model.label}” has kinks, where a gradient of a gradient leads nowhere"

    def suits(self, facts: Facts) -> float | None:
        # an optimiser with a memory does not send a gradient in its first step
        single = facts.upload == "audit" and not facts.optimizer.memories
        return 0.5 if single else None

    def effort(self, facts: Facts) -> Effort:
        return Effort(gradients=EACH * self.iterations * self.restarts)

    def reconstruct(
        self, seen: Observation, *, generator: np.random.Generator, on_progress: Progress | None = None
    ) -> Image:
        return self.reconstruct_all([seen], generators=[generator], on_progress=on_progress)[0]

    def reconstruct_all(
        self,
        seen: Sequence[Observation],
        *,
        generators: Sequence[np.random.Generator],
        on_progress: Progress | None = None,
    ) -> list[Image]:
        import torch

        like = torch.zeros((), dtype=torch.float64, device=seen[0].device)
        goals = np.concatenate([one.gradients for one in seen])
        labels = np.concatenate([one.labels() for one in seen])
        counts = [len(one.epsilon) for one in seen]
        pixels = int(np.prod(seen[0].shape))
        starts = np.concatenate(
            [
                generator.uniform(size=(count, self.restarts, pixels))
                for count, generator in zip(counts, generators, strict=True)
            ]
        )
        found, step = np.empty((len(goals), pixels)), max(1, ROWS // self.restarts)
        for first in range(0, len(goals), step):
            some = slice(first, first + step)

            def told(share: float, before: int = first) -> None:
                if on_progress:
                    on_progress(min(1.0, (before + share * step) / len(goals)))

            found[some] = self._search(seen[0], goals[some], labels[some], starts[some], like, told)
        images = found.reshape(-1, 1, *seen[0].shape)
        return np.split(images, np.cumsum(counts)[:-1])

    def _search(
        self,
        seen: Observation,
        goals: Floats,
        labels: NDArray[np.int64],
        starts: Floats,
        like: torch.Tensor,
        on_progress: Progress,
    ) -> Floats:
        """(V, pixels) for gradients (V, d), from starts (V, restarts, pixels); computed in `like`'s kind."""
        import torch

        victims, restarts, pixels = starts.shape
        goal = torch.from_numpy(goals).to(like).repeat_interleave(restarts, 0)
        size = (goal**2).sum(1).clamp(min=1e-300)
        known = torch.from_numpy(labels).to(like.device).repeat_interleave(restarts, 0)
        exact = torch.nn.functional.one_hot(known, seen.classes).to(like)
        begin = torch.from_numpy(starts).to(like).flatten(0, 1)
        if self.labels == "sought":
            begin = torch.cat([begin, torch.zeros_like(exact)], 1)

        def distance(at: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            at = at.detach().requires_grad_()
            x = at[:, :pixels].reshape(-1, *seen.shape)
            targets = at[:, pixels:].softmax(1) if self.labels == "sought" else exact[rows]
            values = ((seen.traced_gradients(x, targets) - goal[rows]) ** 2).sum(1) / size[rows]
            (slopes,) = torch.autograd.grad(values.sum(), at)
            return values.detach(), slopes

        end, value = minimise(distance, begin, self.iterations, on_progress, ENOUGH)
        best = value.view(victims, restarts).nan_to_num(torch.inf).argmin(1)
        images = end[:, :pixels].view(victims, restarts, pixels)
        chosen: Floats = images[torch.arange(victims, device=like.device), best].cpu().numpy()
        return chosen
