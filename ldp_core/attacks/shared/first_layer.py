"""Helpers for attacks on a fully connected first layer: rank-1 factors, scales, the mechanism's window."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ldp_core.attacks.observation import Observation
from ldp_core.mechanisms.base import Floats, Mechanism

Mask = NDArray[np.bool_]
ITERATIONS = 40
"""Of the power method, after which the leading direction is found or lost in noise."""
SWEEPS = 4


def leading(rows: Floats) -> Floats:
    """(V, R, F) → (V, F): Aᵀu for the leading left singular vector u of each matrix A."""
    gram = rows @ rows.transpose(0, 2, 1)
    best = np.einsum("vrr->vr", gram).argmax(axis=1)
    u = np.take_along_axis(gram, best[:, None, None], axis=2)
    for _ in range(ITERATIONS):
        before, u = u, gram @ (u / _floor(_length(u)))
        if np.array_equal(u, before):  # and so it stays
            break
    u /= _floor(_length(u))
    return _times(u[:, :, 0], rows)


def leading_of_known(rows: Floats, kept: Mask) -> Floats:
    """As `leading` with missing entries: alternating least squares on the known ones."""
    filled, known = np.where(kept, rows, 0.0), kept.astype(np.float64)
    filled_t, known_t = filled.transpose(0, 2, 1), known.transpose(0, 2, 1)
    z = leading(filled)
    for _ in range(SWEEPS):
        delta = _times(z, filled_t) / _floor(_times(z**2, known_t))
        z = _times(delta, filled) / _floor(_times(delta**2, known))
    return z


def _times(vectors: Floats, matrices: Floats) -> Floats:
    """(V, R) times (V, R, F) → (V, F)."""
    found: Floats = (vectors[:, None] @ matrices)[:, 0]
    return found


def scaled(z: Floats, white: float = 1.0) -> Floats:
    """(V, F + 1) → (V, F): pixels divided by the last entry, which estimates the constant 1, for images
    multiplied by `white`; or by the brightest hundredth of them, if noise has shrunk that entry below.
    """
    sign = np.where(z[:, :-1].sum(axis=1) < 0, -1.0, 1.0)[:, None]
    pixels, one = z[:, :-1] * sign, np.maximum(z[:, -1:] * sign * white, 1e-300)
    brightest = np.quantile(pixels, 0.99, axis=1, keepdims=True)
    found: Floats = pixels / np.maximum(one, np.maximum(brightest, 1e-300))
    return found


@dataclass(frozen=True)
class Window:
    """Interval that holds most of a mechanism's outputs: gain · value ± half, around the centre."""

    gain: Floats
    half: Floats
    centre: Floats


def window(seen: Observation, mechanism: Mechanism | None = None) -> Window | None:
    """Window of each victim, (V, 1, 1) each, by default of the first layer's mechanism; None without one."""
    used, found = mechanism or seen.mechanism, list[tuple[float, float, float]]()
    for epsilon, low, high in zip(seen.epsilon, *seen.first_ends, strict=True):
        if (one := _window_at(used, float(epsilon), float(low), float(high))) is None:
            return None
        found.append(one)
    gain, half, centre = np.array(found).T[:, :, None, None]
    return Window(gain, half, centre)


@lru_cache
def _window_at(
    mechanism: Mechanism, epsilon: float, low: float, high: float
) -> tuple[float, float, float] | None:
    middle, law = (low + high) / 2, mechanism.at(epsilon, low, high)
    at = [law.edges(value) for value in (middle, high)]
    if any(len(edges) != 4 for edges in at):
        return None
    half = (at[0][2] - at[0][1]) / 2
    gain = ((at[1][1] + at[1][2]) / 2 - middle) / (high - middle)
    return float(gain), float(half), middle


def reach(seen: Observation) -> Floats:
    """Largest first-layer step of a public image, (V,); the learning rate without public images."""
    if seen.public is None:
        return np.full(len(seen.epsilon), seen.learning_rate)
    steps = seen.public_uploads(seen.public.x[:64], seen.public.y[:64]) - seen.bases(seen.models)[:, None]
    return seen.of_victims(np.abs(seen.first_layer(steps)).max(axis=(1, 2, 3)))


def trimmed(seen: Observation) -> tuple[Floats, Mask]:
    """First layer's gradients (V, R, F + 1), and mask of the outputs inside the window: one further from the
    old weight than window and largest public step together is uninformative; those inside are unbiased after
    division by the gain.
    """
    narrow = window(seen)
    if narrow is None:
        known = seen.first_layer(seen.steps[1])
        if seen.mechanism.role == "identity":  # a value at an end of its range has been clipped
            sent = seen.first_layer(seen.uploads[0])
            low, high = (end.astype(np.float32)[:, None, None] for end in seen.first_ends)
            known &= (sent > low) & (sent < high)
        return seen.first_layer(seen.gradients), known
    base = seen.first_layer(np.broadcast_to(seen.base, seen.uploads.shape[1:]))
    furthest, rows, known = reach(seen), np.zeros(base.shape), np.zeros(base.shape, dtype=bool)
    # one after another: a victim's answers stay in the processor's cache, those of all would not
    for v in range(len(base)):
        gain, half, centre = (part[v].item() for part in (narrow.gain, narrow.half, narrow.centre))
        answers = seen.first_layer(seen.uploads[:, v].astype(np.float64))  # (T, R, F + 1)
        steps = base[v] - (centre + (answers - centre) / gain)
        kept = np.abs(steps) <= half / gain + furthest[v]
        if seen.unsent is not None:
            kept &= ~seen.first_layer(seen.unsent[:, v])
        count = kept.sum(axis=0)
        known[v] = count > 0
        rows[v] = (steps * kept).sum(axis=0) / np.maximum(count, 1) / seen.learning_rate
    return rows, known


def _length(vectors: Floats) -> Floats:
    """Vector norms (V, R, 1) → (V, 1, 1); faster than numpy's own."""
    found: Floats = np.sqrt(np.add.reduce(vectors * vectors, axis=1, keepdims=True))
    return found


def _floor(x: Floats) -> Floats:
    return np.maximum(x, 1e-300)
