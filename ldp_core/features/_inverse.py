"""What an attacker draws back: images from features, or from one perturbed message of features."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.features.base import Features, Images

RIDGE = 0.03
"""Penalty of the regression, as a share of the kernel's largest value."""


@dataclass(frozen=True)
class Inverse:
    made: Features
    images: Images
    """Public images (n, *shape)."""
    labels: NDArray[np.int64]

    @cached_property
    def _known(self) -> Images:
        return self.made.of(self.images)

    @cached_property
    def _solved(self) -> NDArray[np.float64]:
        offset = (self.images - self.images.mean(0)).reshape(len(self.images), -1)
        kernel = _alike(self._known, self._known) + RIDGE * np.eye(len(offset))
        found: NDArray[np.float64] = np.linalg.solve(kernel, offset)
        return found

    def drawn(self, numbers: Images) -> Images:
        """Images (k, *shape) for exact features (k, width), by kernel ridge regression."""
        found = self.images.mean(0) + (_alike(numbers, self._known) @ self._solved).reshape(
            -1, *self.images.shape[1:]
        )
        return np.clip(found, 0, 1).astype(np.float32)

    def drawn_from(self, sent: NDArray[Any], law: Any, classes: int, length: float) -> Images:
        """Images (k, *shape) for class-mean messages (k, m) perturbed by `law`: the mean of the public
        images, weighted by the likelihood of each.
        """
        known = law.mechanism.clip(placed(self._known, self.labels, classes, length), law.low, law.high)
        logs = np.array([np.reshape(law.log_prob(one, known), (len(known), -1)).sum(1) for one in sent])
        share = np.exp(logs - logs.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        return np.tensordot(share, self.images, 1).astype(np.float32)


def placed(numbers: Images, labels: NDArray[np.int64], classes: int, length: float) -> Images:
    """Class-mean messages (n, classes · width) of one image each, of the same length."""
    found = np.zeros((len(numbers), classes, numbers.shape[1]), np.float32)
    found[np.arange(len(numbers)), labels] = numbers * (length / np.sqrt(numbers.shape[1]))
    return found.reshape(len(numbers), -1)


def _alike(one: Images, other: Images) -> NDArray[np.float64]:
    """Gaussian kernel of features whose mean square is 1."""
    apart = (one**2).sum(1)[:, None] + (other**2).sum(1) - 2 * one @ other.T
    found: NDArray[np.float64] = np.exp(-np.maximum(apart, 0) / (2 * one.shape[1]), dtype=np.float64)
    return found
