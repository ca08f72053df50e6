"""Decoding of one untrusted image file."""

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._overlooked import KINDS
from ldp_core.errors import DataUnavailable, shown

SIDE = 32
MOST_PIXELS = 50_000_000
"""Largest number of pixels according to the file; a few kilobytes may unpack to a gigabyte."""
MOST = f"{MOST_PIXELS / 1e6:.0f} million"


class BadImage(DataUnavailable):
    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"the image {shown(name, 120)} {what}; remove or replace it and launch again")
        self.name, self.what = name, what


def decoded(file: Path, root: Path, name: str) -> NDArray[np.float32]:
    """Image as (3, SIDE, SIDE) in [0, 1]: centre square, scaled, in colour; from a PNG, JPEG or WebP,
    whatever its ending. `BadImage`, by this name, if it is none, damaged, too large, or by links outside
    `root`.
    """
    from PIL import Image, ImageOps

    if not file.resolve().is_relative_to(root.resolve()):
        raise BadImage(name, "is a link that leaves the data folder")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(file, formats=("PNG", "JPEG", "WEBP")) as image:
                width, height = image.size
                if width * height > MOST_PIXELS:
                    raise BadImage(name, f"has {width} × {height} pixels, over {MOST}")
                # of 16 bits a colour Pillow would drop eight without a word, and of grey refuse to
                if image.mode.startswith(("I", "F")) or ";16" in str(getattr(image, "tile", "")):
                    raise BadImage(name, "has more than 8 bits a channel")
                ImageOps.exif_transpose(image, in_place=True)
                white = Image.new("RGBA", image.size, "white")
                opaque = Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")
                square = ImageOps.fit(opaque, (SIDE, SIDE), Image.Resampling.BILINEAR)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise BadImage(name, f"has over {MOST} pixels") from None
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError) as error:
        raise BadImage(name, f"cannot be read as a {KINDS} ({type(error).__name__})") from None
    return np.asarray(square, dtype=np.float32).transpose(2, 0, 1) / np.float32(255)
