"""Register blocking: changes a kernel's speed, not its results."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    """Block sizes computed in registers, in numbers or in vectors of 64 bytes."""

    samples: int
    outputs: int
    vectors: int
    """Vectors of a row of weights."""
    channels: int
    columns: int
    """Vectors of a convolution's outputs."""
    patch: int
    """Vectors of a patch."""

    def choose(self, total: int, most: int) -> int:
        """Largest block size up to `most` that wastes least when covering `total`."""
        return min(range(1, min(most, total) + 1), key=lambda side: (-(-total // side) * side, -side))


def tile_of(features: str) -> Tile:
    """Register blocking for a processor: 32 registers of 64 bytes, 16 of 32, or fewer and shorter ones."""
    if "+avx512f" in features:
        return Tile(4, 5, 5, 5, 4, 20)
    if "+avx2" in features or "+avx" in features:
        return Tile(2, 3, 3, 3, 2, 5)
    return Tile(1, 2, 2, 2, 1, 2)


def even(total: int, most: int) -> int:
    """Size of blocks, at most `most`, that leaves the largest rest (`blocks`)."""
    return -(-total // -(-total // most))


def blocks(total: int, side: int) -> list[tuple[int, int, int]]:
    """Triples (first, count, side) of blocks that cover `total` without overlap: whole ones, and a rest."""
    whole, rest = divmod(total, side)
    found = [(0, whole, side)] if whole else []
    return [*found, (whole * side, 1, rest)] if rest else found
