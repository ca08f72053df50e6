"""Who stands beside a victim: images for an identification, and pictures that anybody could guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ldp_core.attacks import Public
from ldp_core.attacks.findings import metrics
from ldp_core.attacks.observation import Image
from ldp_core.federated.federation import Federation
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream


@dataclass(frozen=True)
class Candidates:
    """For V attacked images: the candidates with each, and the mean image that a guess without any upload
    gives.
    """

    originals: Image
    """(V, *shape)"""
    labels: np.ndarray
    any_class: Public
    """(V, M, *shape): the attacked image, then held-out images."""
    same_class: Public
    """The same with held-out images of its own class; fewer where there are not enough of them."""
    mean_image: Image
    class_means: Image
    """(V, *shape): of each image's own class."""

    @cached_property
    def guessed(self) -> dict[str, Floats]:
        """PSNR (V,) in dB of the two guesses made without any upload."""
        mean = np.broadcast_to(self.mean_image, self.originals.shape)
        return {
            "psnr_mean_image": metrics.psnr(mean, self.originals),
            "psnr_class_mean": metrics.psnr(self.class_means, self.originals),
        }

    @property
    def kinds(self) -> tuple[Public, Public]:
        """Candidates of all classes, and of the right one's class."""
        return self.any_class, self.same_class

    def of(self, victims: slice) -> Candidates:
        return replace(
            self,
            originals=self.originals[victims],
            labels=self.labels[victims],
            any_class=Public(self.any_class.x[victims], self.any_class.y[victims]),
            same_class=Public(self.same_class.x[victims], self.same_class.y[victims]),
            class_means=self.class_means[victims],
        )


def line_up(
    federation: Federation, samples: Sequence[int], keys: Sequence[int], candidates: int
) -> Candidates:
    """The lineup of some training samples.

    Args:
        samples: indices of training samples.
        keys: one whole number for each, that its decoys are drawn by: the client's, or the image's.
        candidates: M, the right one included.
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

    def beside(decoys: list[np.ndarray]) -> Public:
        chosen = np.array(decoys, dtype=np.int64).reshape(len(labels), -1)
        x = np.concatenate([originals[:, None], test_x[chosen]], axis=1)
        return Public(x, np.concatenate([labels[:, None], test_y[chosen]], axis=1))

    return Candidates(
        originals=originals.astype(np.float64),
        labels=labels,
        any_class=beside([order[: candidates - 1] for order in orders]),
        same_class=beside([order[:most] for order in alike]),
        mean_image=mean.astype(np.float64),
        class_means=np.stack([by_class[int(y)] for y in labels]).astype(np.float64),
    )
