"""Posterior mean of each pixel, given the upload and public images (reference: attacks, sections 4 and 5).

Of a fully connected first layer the image x and each row's reaction δ are unknown. Public images give priors
of both per class; classes are weighted by how well their mean image explains the upload. Reactions and pixels
are estimated in turn, each by its posterior given the other.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ldp_core.attacks.base import Effort, Facts, Reconstructor
from ldp_core.attacks.observation import Image, Observation, PublicImages
from ldp_core.attacks.shared.first_layer import window
from ldp_core.attacks.shared.laws import blocks, log_likelihood
from ldp_core.attacks.trimmed import Trimmed
from ldp_core.mechanisms.base import Floats

GRID = 33
"""Number of pixel levels."""
SPREAD = np.array([0.05, 0.25, 0.4, 0.25, 0.05])
"""Smoothing of the histograms over neighbouring levels."""
BRIGHTNESS, SPREADS = np.linspace(0, 1, GRID), np.linspace(-4, 4, GRID)
"""Grids of the posterior: pixel levels, and reactions in standard deviations from the expected one."""
ROWS = 24
"""Number of units with the largest reactions that are used of a wide layer."""
PASSES = 3
CACHED = 2**16
"""Number of values of a grid, of one victim at least, that stay in the processor's cache."""
PUBLIC = 256
"""Largest number of public images whose reactions are computed."""


@dataclass(frozen=True)
class ClassStatistics:
    """Mean image and pixel histograms of each class of public images."""

    means: NDArray[np.float32]
    """Mean image of each class, (classes, *shape); of all images for a class without any."""
    brightness: Floats
    """Smoothed histogram of each pixel by class, (classes, F, GRID)."""


@lru_cache(maxsize=2)
def kind_of(public: PublicImages, classes: int) -> ClassStatistics:
    everything = public.x.mean(0)
    means = np.stack(
        [public.x[of].mean(0) if (of := public.y == y).any() else everything for y in range(classes)]
    )
    pixels = public.x.reshape(len(public.x), -1).astype(np.float64)
    features = pixels.shape[1]
    place = np.clip(np.rint(pixels * (GRID - 1)), 0, GRID - 1).astype(np.int64)
    bins = (public.y[:, None] * features + np.arange(features)) * GRID + place
    counts = np.bincount(bins.ravel(), minlength=classes * features * GRID).astype(np.float64)
    padded = np.pad(counts.reshape(classes, features, GRID), ((0, 0), (0, 0), (2, 2)), mode="edge")
    smooth = 0.02 + sum(w * padded[..., k : k + GRID] for k, w in enumerate(SPREAD))
    return ClassStatistics(means, smooth / smooth.sum(axis=-1, keepdims=True))


class Posterior(Reconstructor):
    label = "Posterior of each pixel"
    order = 4
    summary = "Weighs, for every pixel, what the upload says against what images of this kind look like."
    formula = (
        r"p(x_i\mid\tilde w)\propto p(x_i)\prod_r p\big(\tilde w_{ri}\mid w_{ri}-\eta\,\delta_r x_i\big)"
    )
    reference = "Balunović et al. 2022 (Bayes-optimal adversary); attacks, sections 4 and 5"
    many_models = True
    also_knows = "public images of the same kind, as a prior"

    def suits(self, facts: Facts) -> float | None:
        # a wider network has too many unknown reactions for a posterior; it is read by its rank
        alone = len(facts.model.layers(facts.shape, facts.classes)) == 1
        return 1.5 if facts.upload == "audit" and alone else None

    def effort(self, facts: Facts) -> Effort:
        if facts.mechanism.role == "identity":
            return Effort()
        rows, *columns = facts.model.slices(facts.shape, facts.classes)[0].shape
        return Effort(likelihoods=(2 * PASSES + 1) * GRID * min(ROWS, rows) * (math.prod(columns) + 1))

    def reconstruct(self, seen: Observation, *, generator: np.random.Generator) -> Image:
        public = seen.public
        if seen.mechanism.role == "identity" or public is None:
            return Trimmed().reconstruct(seen, generator=generator)
        kind = kind_of(public, seen.classes)
        shares = _class_shares(seen, kind)
        brightness = np.log(np.einsum("vy,yfg->vfg", shares, kind.brightness))
        delta, spread = _expected_reactions(seen, public, shares)
        rows = np.argsort(-(np.abs(delta) + spread), axis=1, kind="stable")[:, :ROWS]
        delta, spread = (np.take_along_axis(part, rows, axis=1) for part in (delta, spread))
        found = np.empty((len(delta), 1, *seen.shape))
        for victims in blocks(len(delta), rows.shape[1] * brightness[0].size, CACHED):
            reading = _Reading(seen.of(victims), rows[victims])
            reactions = delta[victims]
            for _ in range(PASSES):
                pixels = reading.pixels(reactions, brightness[victims])
                reactions = reading.reactions(pixels, delta[victims], spread[victims])
            pixels = reading.pixels(reactions, brightness[victims])
            found[victims] = pixels.reshape(-1, 1, *seen.shape)
            delta[victims] = reactions
        fine = np.flatnonzero(_too_fine(seen, delta))
        if len(fine):
            found[fine] = Trimmed().reconstruct(seen.of(fine), generator=generator)
        return found


class _Reading:
    """Likelihoods of the first-layer rows (V, R, F + 1) of uploads, over grids of pixels and reactions δ;
    levels are far apart in memory, so that a law is evaluated on long slices while sums keep their order.
    """

    def __init__(self, seen: Observation, rows: NDArray[np.int64]) -> None:
        self._seen = seen
        every = np.broadcast_to(seen.base, seen.uploads.shape[1:]), *seen.uploads
        base, *sent = (np.take_along_axis(seen.first_layer(u), rows[:, :, None], axis=1) for u in every)
        self._pixels = [part[:, :, :-1, None] for part in (base, *sent)]
        turned = [np.ascontiguousarray(part.transpose(0, 2, 1)) for part in (base, *sent)]
        self._all = [part.transpose(0, 2, 1)[..., None] for part in turned]
        ends = tuple(end[:, None, None, None] for end in (seen.epsilon, *seen.first_ends))
        law = seen.mechanism.at(*ends)
        self._likelihoods = [[law.likelihood(one) for one in sent[1:]] for sent in (self._pixels, self._all)]
        unsent = seen.unsent if seen.unsent is not None else np.zeros((seen.rounds, 0), dtype=bool)
        silent = [np.take_along_axis(seen.first_layer(u), rows[:, :, None], axis=1) for u in unsent if u.size]
        self._silent = [one[:, :, :-1, None] for one in silent], [one[..., None] for one in silent]

    def pixels(self, reactions: Floats, log_prior: Floats) -> Floats:
        """Posterior mean of each pixel, (V, F), given the reactions (V, R)."""
        base = self._pixels[0]
        victims, rows, features, _ = base.shape
        levels = BRIGHTNESS * self._seen.white
        steps = self._seen.moved(reactions[:, None, :] * levels[:, None])  # (V, GRID, R)
        value = np.empty((victims, GRID, rows, features)).transpose(0, 2, 3, 1)
        np.add(base, steps.transpose(0, 2, 1)[:, :, None], out=value)
        return _mean(BRIGHTNESS, log_prior + self._log_likelihood(0, value, over=1))

    def reactions(self, pixels: Floats, expected: Floats, spread: Floats) -> Floats:
        """Posterior mean of each reaction, (V, R), given the pixels (V, F) and the constant 1 of the bias."""
        levels = expected[..., None] + spread[..., None] * SPREADS
        known = np.concatenate([pixels * self._seen.white, np.ones((len(pixels), 1))], axis=1)
        gradients = levels.transpose(0, 2, 1)[:, :, None] * known[:, None, :, None]  # (V, GRID, F + 1, R)
        value = self._seen.moved(gradients).transpose(0, 3, 2, 1)
        value += self._all[0]
        log_prior = -(SPREADS**2) / 2
        return _mean(levels, log_prior + self._log_likelihood(1, value, over=2))

    def _log_likelihood(self, of: int, value: Floats, over: int) -> Floats:
        """Log-likelihood of the sent weights (`of` 0), or of biases too (1), for noise-free values (V, R, F,
        GRID), summed over an axis.
        """
        each = (law(value) for law in self._likelihoods[of])
        if self._silent[of]:
            each = (np.where(one, 0.0, x) for one, x in zip(self._silent[of], each, strict=True))
        total, *others = each
        for more in others:
            total = total + more
        return np.ascontiguousarray(total.sum(axis=over))


def _mean(levels: Floats, log_posterior: Floats) -> Floats:
    found: Floats = (_shares(log_posterior) * levels).sum(axis=-1)
    return found


def _shares(log_weight: Floats) -> Floats:
    """Normalised weights along the last axis; equal ones if all are impossible."""
    top = log_weight.max(axis=-1, keepdims=True)
    if (nothing := np.isneginf(top)).any():
        weight = np.where(nothing, 1.0, np.exp(log_weight - np.where(nothing, 0.0, top)))
    else:
        weight = np.exp(log_weight - top)
    found: Floats = weight / weight.sum(axis=-1, keepdims=True)
    return found


def _class_shares(seen: Observation, kind: ClassStatistics) -> Floats:
    """Posterior probability of each class, (V, classes), if every image were its class's mean."""
    uploads = seen.public_uploads(kind.means, np.arange(seen.classes))
    return _shares(log_likelihood(seen, seen.of_victims(uploads)))


def _expected_reactions(seen: Observation, public: PublicImages, shares: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation, (V, R) each, of the first bias's gradient over public images."""
    x, labels = public.x[:PUBLIC], public.y[:PUBLIC]
    some = blocks(len(x), seen.previous.size)
    parts = [seen.public_gradients(x[one], labels[one], slice(1, 2)) for one in some]
    reactions = np.concatenate(parts, axis=1)  # (k, n, R)
    weight = shares[:, labels] / np.maximum(np.bincount(labels, minlength=seen.classes)[labels], 1)
    weight = weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
    weight = weight.reshape(len(reactions), -1, len(x))
    mean = weight @ reactions
    spread = np.sqrt(np.maximum(weight @ reactions**2 - mean**2, 0.0))
    spread += 0.02 * np.abs(reactions).max(axis=(1, 2), keepdims=True)
    return mean.reshape(len(shares), -1), spread.reshape(len(shares), -1)


def _too_fine(seen: Observation, delta: Floats) -> NDArray[np.bool_]:
    """(V,): whether the mechanism's window is narrower than the grid, so that no prior is needed."""
    narrow = window(seen)
    if narrow is None:
        return np.zeros(len(delta), dtype=bool)
    levels = np.abs(delta).max(axis=1)[:, None] * np.array([0.5, 0.5 + 1 / (GRID - 1)]) * seen.white
    step = np.abs(np.diff(seen.moved(levels), axis=1))[:, 0]  # between two levels of brightness
    return np.asarray((narrow.half / narrow.gain)[:, 0, 0] < step)
