"""Perturbation of large matrices in blocks of cache size.

A per-coordinate mechanism is a function of one uniform draw, so a sampler is a few elementwise operations. On
a whole matrix they are bound by memory; on blocks in the CPU's cache they cost little more than the draw.
Draws are in row-major order whatever the blocks, so neither block size nor grouping of clients changes a bit.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.shared.law import Floating, Floats
from ldp_core.mechanisms.shared.resolution import check_resolution

BLOCK = 30_000
"""Number of values in a block: several temporaries fit into a 1 MB cache, each below the 128 kB from which on
glibc maps it anew.
"""

GRID = "grid"
"""Name of a coefficient, the step of a public grid: outputs are computed in float64 and rounded to it, so
that every output of one value is possible for every other.
"""
PLACES = 2**24
"""Number of multiples on either side of 0 that float32 represents exactly."""

Sampler = Callable[[Any, Any, Mapping[str, Any]], Any]


class Tables(NamedTuple):
    """Ranges (low, high, centre, half-width) and coefficients in the type of some values, and the common
    shape of all.
    """

    shape: tuple[int, ...]
    rows: int
    ranges: list[Any]
    coefficients: dict[str, Any]


class Blocks:
    """Sampler at given budgets and ranges; caches coefficients per type and shape."""

    def __init__(self, coefficients: dict[str, Floats], low: Floats, high: Floats) -> None:
        """All arrays are float64 and broadcast with the values."""
        self._coefficients, self._low, self._high = coefficients, low, high
        self._made: dict[Hashable, Tables] = {}

    def perturb(
        self,
        sample: Sampler,
        values: Any,
        generator: np.random.Generator,
        normal: bool = False,
        placed: bool = True,
    ) -> Any:
        """Apply `sample(v, u, coefficients)` to `values` (..., d), block by block: to v in [−1, 1] and
        uniforms u in [0, 1) (or standard `normal` numbers). It returns outputs relative to the centre, in
        half-widths, which are moved to the range if they are to be `placed`.
        """
        data = floats_of(values, generator)
        tables = self._tables(data)
        rows, columns = tables.rows, tables.shape[-1] if tables.shape else 1
        if not rows:
            return np.empty(tables.shape, data.dtype)
        data = np.broadcast_to(data, tables.shape).reshape(rows, columns)
        out = np.empty_like(data)

        coarse = GRID in tables.coefficients
        for r, c in _blocks(rows, columns, max(1, BLOCK)):
            lo, hi, centre, half = (_part(table, r, c) for table in tables.ranges)
            x = data[r, c].astype(np.float64) if coarse else data[r, c]
            v = x - lo  # what is written over stays in the processor's cache
            v -= hi - x
            v /= 2 * half
            np.clip(v, -1, 1, out=v)  # exactly ±1 at the ends of the range
            check_numbers(v)
            u = _draw(generator, v, normal)
            k = {name: _part(one, r, c) for name, one in tables.coefficients.items()}
            y = sample(v, u, k)
            y = centre + half * y if placed else y
            out[r, c] = on_grid(y, k[GRID]) if coarse else y
        return out.reshape(tables.shape)

    def _tables(self, data: Floating) -> Tables:
        """Ranges and coefficients for `data`; InvalidInput for too narrow ranges or unfit shapes."""
        key = data.dtype, data.shape
        if key not in self._made:
            low, high = self._low, self._high
            check_resolution(low, high, np.finfo(data.dtype))
            every = [low.shape, *(c.shape for c in self._coefficients.values())]
            shape = broadcast(data.shape, *every)
            rows = int(np.prod(shape)) // (shape[-1] if shape else 1) if 0 not in shape else 0
            ranges = low, high, (low + high) / 2, (high - low) / 2
            kind = np.dtype(np.float64) if GRID in self._coefficients else data.dtype
            self._made.clear()
            self._made[key] = Tables(
                shape,
                rows,
                [_table(p, shape, rows, kind) for p in ranges] if rows else [],
                {name: _table(p, shape, rows, kind) for name, p in self._coefficients.items() if rows},
            )
        return self._made[key]


def on_grid(answers: Floats, step: Floats) -> Floats:
    """Float64 outputs rounded to multiples of the step, without negative zero."""
    return np.clip(np.round(answers / step), -PLACES, PLACES) * step + 0.0


def step_of(reach: Floats) -> Floats:
    """Power of two whose multiples float32 represents exactly up to `reach`."""
    return 2.0 ** (np.ceil(np.log2(reach)) - np.log2(PLACES))


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Common shape of values, budgets and ranges; raises `InvalidInput` if there is none."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise InvalidInput(
            f"values, budgets and ranges must fit together; got shapes {', '.join(map(str, shapes))}"
        ) from None


def checked(values: Any, generator: Any, low: Floats, high: Floats, *others: tuple[int, ...]) -> Floating:
    """The values as floats broadcast with the other arguments; raises `InvalidInput` for what is no numpy
    Generator, a range too narrow for the values' type, or NaN.
    """
    data = floats_of(values, generator)
    check_resolution(low, high, np.finfo(data.dtype))
    data = np.broadcast_to(data, broadcast(data.shape, low.shape, *others))
    check_numbers(data)
    return data


def check_numbers(values: Floating) -> None:
    if np.isnan(values).any():
        raise InvalidInput("a value to perturb is not a number (NaN): training has diverged")


def floats_of(values: Any, generator: Any) -> Floating:
    """`values` as floats; raises `InvalidInput` for what is no numpy Generator."""
    if not isinstance(generator, np.random.Generator):
        raise InvalidInput("numpy arrays are perturbed with a numpy Generator; got another kind")
    data = np.asarray(values)
    return data if data.dtype in (np.float32, np.float64) else data.astype(np.float64)


def where(condition: Any, chosen: Any, other: Any) -> Any:
    """np.where, bit for bit; without branches where both are floats of one type: their prediction failed
    half the time, which was half of Duchi's time.
    """
    a, b, taken = np.asarray(chosen), np.asarray(other), np.asarray(condition)
    if taken.dtype != bool or a.dtype != b.dtype or a.dtype not in WHOLE:
        return np.where(condition, chosen, other)
    whole = WHOLE[a.dtype]
    bits = np.asarray(taken.view(np.int8).astype(whole))
    differing, other = a.view(whole) ^ b.view(whole), b.view(whole)
    if np.broadcast(bits, differing).shape != bits.shape:
        return ((bits * differing) ^ other).view(a.dtype)
    bits *= differing  # all of their bits, or none
    bits ^= other
    return bits.view(a.dtype)


WHOLE: Mapping[Any, Any] = {
    np.dtype(np.float32): np.dtype(np.int32),
    np.dtype(np.float64): np.dtype(np.int64),
}
"""Integer type of equal size by floating type."""


def _blocks(rows: int, columns: int, size: int) -> Iterator[tuple[slice, slice]]:
    """Slices that cover a matrix in row-major order, with at most `size` values each where possible."""
    if columns == 0:
        return
    height, width = max(1, size // columns), min(columns, size)
    for top in range(0, rows, height):
        for left in range(0, columns, width):
            yield slice(top, min(top + height, rows)), slice(left, min(left + width, columns))


def _table(parameter: Floats, shape: tuple[int, ...], rows: int, kind: np.dtype[Any]) -> Any:
    """Parameter as one number, or a (rows, 1) or (rows, columns) array, of this type."""
    if parameter.size == 1:
        return parameter.reshape(()).astype(kind)
    target = (*shape[:-1], 1) if parameter.shape[-1] == 1 else shape
    return np.broadcast_to(parameter, target).reshape(rows, -1).astype(kind)


def _part(table: Any, rows: slice, columns: slice) -> Any:
    """A parameter's values for a block."""
    if not table.ndim:
        return table
    return table[rows] if table.shape[1] == 1 else table[rows, columns]


def _draw(generator: np.random.Generator, like: Floating, normal: bool) -> Floating:
    """Uniforms in (0, 1), or standard normals, shaped like `like`."""
    u: Any = (generator.standard_normal if normal else generator.random)(like.shape, dtype=like.dtype)
    return u if normal else inside(u)


def inside(u: Floating) -> Floating:
    """Uniforms in [0, 1) on a grid, shifted in place by half a step, so that 0 is as likely as the others;
    kept below 1, where an output of near-zero probability would occur once in 2²⁴ draws.
    """
    step = 2.0**-24 if u.dtype == np.float32 else 2.0**-53
    u += step / 2
    return np.clip(u, None, 1 - step, out=u)
