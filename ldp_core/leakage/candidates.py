"""Candidate images for identification, and baseline guesses made without any upload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldp_core.attacks import PublicImages
from ldp_core.attacks.findings import metrics
from ldp_core.attacks.observation import Image
from ldp_core.federated.federation import Federation
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream


@dataclass(frozen=True)
class Candidates:
    """Candidates of each of V attacked images, and the mean images as baseline guesses."""

    originals: Image
    """Attacked images, (V, *shape)."""
    labels: np.ndarray
    any_class: PublicImages
    """Candidates (V, M, *shape): the attacked image, then held-out images."""
    same_class: PublicImages
    """The same with held-out images of the attacked image's class only; fewer if there are not enough."""
    mean_image: Image
    class_means: Image
    """Mean image of each attacked image's class, (V, *shape)."""

    @cached_property
    def guessed(self) -> dict[str, Floats]:
        """PSNR (V,) in dB of the two baseline guesses."""
        mean = np.broadcast_to(self.mean_image, self.originals.shape)
        return {
            "psnr_mean_image": metrics.psnr(mean, self.originals),
            "psnr_class_mean": metrics.psnr(self.class_means, self.originals),
        }

    @property
    def kinds(self) -> tuple[PublicImages, PublicImages]:
        return self.any_class, self.same_class

    def of(self, victims: slice | NDArray[np.int64]) -> Candidates:
        return replace(
            self,
            originals=self.originals[victims],
            labels=self.labels[victims],
            any_class=PublicImages(self.any_class.x[victims], self.any_class.y[victims]),
            same_class=PublicImages(self.same_class.x[victims], self.same_class.y[victims]),
            class_means=self.class_means[victims],
        )


def line_up(
    federation: Federation, samples: Sequence[int], keys: Sequence[int], candidates: int
) -> Candidates:
    """M candidates for each of the attacked training samples, itself included; `keys` are those of the
    decoys' random streams: the client's or image's number.
    """
    test_x, test_y = federation.pictures(federation.test_x), federation.test_y.cpu().numpy()
    originals = federation.pictures(federation.train_x[np.asarray(samples)])
    labels = federation.train_y[np.asarray(samples)].cpu().numpy()
    orders = [stream(federation.experiment.seed, "attack decoys", k).permutation(len(test_y)) for k in keys]
    alike = [order[test_y[order] == y] for order, y in zip(orders, labels, strict=True)]
    most = min([candidates - 1, *map(len, alike)])
    mean = test_x.mean(axis=0)
    by_class = {
        y: test_x[of].mean(axis=0) if (of := test_y == y).any() else mean for y in set(labels.tolist())
    }

    def beside(decoys: list[np.ndarray]) -> PublicImages:
        chosen = np.array(decoys, dtype=np.int64).reshape(len(labels), -1)
        x = np.concatenate([originals[:, None], test_x[chosen]], axis=1)
        return PublicImages(x, np.concatenate([labels[:, None], test_y[chosen]], axis=1))

    return Candidates(
        originals=originals.astype(np.float64),
        labels=labels,
        any_class=beside([order[: candidates - 1] for order in orders]),
        same_class=beside([order[:most] for order in alike]),
        mean_image=mean.astype(np.float64),
        class_means=np.stack([by_class[int(y)] for y in labels]).astype(np.float64),
    )
