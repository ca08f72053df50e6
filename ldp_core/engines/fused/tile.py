"""How many sums are kept in registers at a time; it changes the time that a kernel takes, and no bit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    """Sides of the blocks that are computed in registers, in numbers or in vectors of 64 bytes."""

    samples: int
    outputs: int
    vectors: int
    """Of a row of weights."""
    channels: int
    columns: int
    """Vectors of a convolution's outputs."""
    patch: int
    """Vectors of patches."""

    def choose(self, total: int, most: int) -> int:
        """Block side of at most `most` with the least waste of `total`; the largest of those."""
        return min(range(1, min(most, total) + 1), key=lambda side: (-(-total // side) * side, -side))


def tile_of(features: str) -> Tile:
    """Register tile for this processor: 32 registers of 64 bytes, 16 of 32, or fewer and shorter ones."""
    if "+avx512f" in features:
        return Tile(4, 5, 5, 5, 4, 20)
    if "+avx2" in features or "+avx" in features:
        return Tile(2, 3, 3, 3, 2, 5)
    return Tile(1, 2, 2, 2, 1, 2)


def blocks(total: int, side: int) -> list[tuple[int, int, int]]:
    """(first, how many, side) of blocks that cover `total` without overlap: whole ones, and a rest."""
    whole, rest = divmod(total, side)
    found = [(0, whole, side)] if whole else []
    return [*found, (whole * side, 1, rest)] if rest else found
