"""Layout of a thread's workspace: one block of memory in sections with guard lines between.

Sections begin on a cache line. Behind each are a line that vector ends may read, and write unchanged, and a
guard line that `ThreadMemory.intact` checks.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from ldp_core.models.chain import Conv, Layers

LINE = 64
"""Bytes of a cache line, and of the vectors of all computations."""
GUARD = 0xA5
LEAST_BATCH = 64
"""Least number of samples that a workspace has room for, used in scoring."""


def up_to(count: int, step: int) -> int:
    """`count`, rounded up to a multiple of `step`."""
    return -(-count // step) * step


def chunks(count: int, lanes: int, least: int = 1) -> list[tuple[int, int]]:
    """Pairs (first, lanes) of vectors that cover `count` numbers: whole ones, then decreasing powers of two.

    The last may reach beyond the end, where fewer than `least` lanes are left.
    """
    found, first = [], 0
    while first < count:
        while lanes > max(least, count - first):
            lanes //= 2
        found.append((first, lanes))
        first += lanes
    return found


def row_chunks(count: int, lanes: int) -> list[tuple[int, int]]:
    """Pairs (first, lanes) of vectors that cover a row of a patch: whole ones, and the smallest for the
    rest.
    """
    whole, rest = divmod(count, lanes)
    found = [(i * lanes, lanes) for i in range(whole)]
    if rest:
        found.append((whole * lanes, max(lanes // 4, 1 << (rest - 1).bit_length())))
    return found


def row_stride(count: int, lanes: int) -> int:
    """Numbers from one row of a patch to the next."""
    first, last = row_chunks(count, lanes)[-1]
    return first + last


def plane(conv: Conv) -> tuple[int, int]:
    """Rows and columns of an image of which every `stride`-th row and column is kept."""
    rows, columns = conv.padded
    return -(-rows // conv.stride), -(-columns // conv.stride)


def stored(conv: Conv, lanes: int) -> tuple[int, int]:
    """Rows and numbers per row of a channel's outputs before the maxima."""
    rows, columns = (side * conv.pool for side in conv.pooled)
    return rows, max(columns, lanes // 2)


@dataclass(frozen=True)
class MemoryLayout:
    """Layout of the workspace, in bytes from its beginning."""

    places: dict[str, int]
    sizes: dict[str, int]
    each: dict[str, int]
    """Bytes per sample of sections for a batch."""
    total: int

    @property
    def guards(self) -> list[int]:
        return [0, *(self.places[name] + up_to(size, LINE) + LINE for name, size in self.sizes.items())]


def weights_of(layers: Layers) -> list[tuple[str, str]]:
    """Names of the sections of weights and of their gradients."""
    parts = [(f"conv{i}", part) for i in range(len(layers.convs)) for part in ("weight", "bias")]
    parts += [(f"dense{i}", part) for i in range(len(layers.dense)) for part in ("weight", "bias")]
    grown = {"weight": "gradient", "bias": "bias gradient"}
    return [(f"{layer}.{part}", f"{layer}.{grown[part]}") for layer, part in parts]


def moments_of(weights: str) -> tuple[str, str]:
    """Names of the sections with Adam's first and second moments of some weights."""
    return f"{weights} mean", f"{weights} square"


def memory_of(layers: Layers, batch: int, number: int, adam: bool = False) -> MemoryLayout:
    """Layout for batches of up to `batch` samples, with numbers of `number` bytes.

    First weights and gradients (with Adam both moments), then what one sample needs, then activations of a
    batch. Without Adam, dense layers are updated without storing gradients.
    """
    lanes = LINE // number
    sizes: dict[str, int] = {}
    for i, conv in enumerate(layers.convs):
        kernel = conv.out * conv.size * row_stride(conv.size * conv.channels, lanes)
        sizes[f"conv{i}.weight"] = sizes[f"conv{i}.gradient"] = kernel * number
        sizes[f"conv{i}.bias"] = sizes[f"conv{i}.bias gradient"] = up_to(conv.out, lanes) * number
    for i, dense in enumerate(layers.dense):
        sizes[f"dense{i}.weight"] = dense.out * up_to(dense.inputs, lanes) * number
        sizes[f"dense{i}.bias"] = up_to(dense.out, lanes) * number
    for weights, gradient in weights_of(layers) if adam else ():
        for moment in (gradient, *moments_of(weights)):
            sizes[moment] = sizes[weights]
    each: dict[str, int] = {"x": up_to(layers.features, lanes) * number, "labels": 8}
    for i, conv in enumerate(layers.convs):
        each[f"conv{i}.out"] = up_to(conv.outputs, lanes) * number
        if conv.pool > 1:
            each[f"conv{i}.winners"] = conv.outputs * 4
        if conv.mean > 1:
            each[f"conv{i}.means"] = up_to(conv.out * prod(conv.averaged), lanes) * number
            sizes[f"conv{i}.delta"] = conv.outputs * number
        if conv.stride > 1 or conv.padding:
            sizes[f"conv{i}.planes"] = conv.channels * conv.stride**2 * prod(plane(conv)) * number
        if i or conv.channels > 1 or conv.padding:  # else both layouts are the same
            sizes[f"conv{i}.patches"] = up_to(conv.inputs, lanes) * number
        if i:
            sizes[f"conv{i}.patch delta"] = up_to(conv.inputs, lanes) * number
    if layers.convs:
        each["convs.delta"] = up_to(layers.dense[0].inputs, lanes) * number
        sizes["scratch"] = max(c.out * prod(stored(c, lanes)) * number for c in layers.convs)
        most = max(max(c.positions, c.pool**2 * c.out) for c in layers.convs)
        sizes["list.values"], sizes["list.places"] = most * number, most * 8
    for i, dense in enumerate(layers.dense):
        each[f"dense{i}.out"] = each[f"dense{i}.delta"] = up_to(dense.out, lanes) * number
    sizes |= {name: batch * size for name, size in each.items()}
    places, at = {}, LINE
    for name, size in sizes.items():
        places[name] = at
        at += up_to(size, LINE) + 2 * LINE
    return MemoryLayout(places, sizes, each, at)


class ThreadMemory:
    """One thread's memory, initially zero but for the guard lines."""

    def __init__(self, memory: MemoryLayout) -> None:
        self._block = np.zeros(memory.total + LINE, dtype=np.uint8)
        self._first = -self._block.ctypes.data % LINE
        lines = np.array(memory.guards)[:, None] + np.arange(LINE)
        self._guards = self._first + lines.ravel()
        self._block[self._guards] = GUARD

    @property
    def address(self) -> int:
        """Address of the first section, aligned to a cache line."""
        return self._block.ctypes.data + self._first

    def intact(self) -> bool:
        return bool((self._block[self._guards] == GUARD).all())
