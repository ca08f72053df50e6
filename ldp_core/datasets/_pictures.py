"""Uploaded pictures, as files or in a ZIP, decoded though untrusted, and stored as a folder with a
subfolder for each class.
"""

import io
import re
import warnings
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._overlooked import KINDS, hidden, is_image
from ldp_core.datasets._overlooked import SUFFIXES as SUFFIXES
from ldp_core.errors import DataUnavailable, InvalidInput, shown

SIDE = 32
MOST_PIXELS = 50_000_000
"""Largest number of pixels according to the file; a few kilobytes may unpack to a gigabyte."""
MOST = f"{MOST_PIXELS / 1e6:.0f} million"
MOST_FILES, MOST_UNPACKED, MOST_NAME = 1000, 50_000_000, 40
CLASS = re.compile(r"[^\W\d_]+")
"""Class of a picture outside any folder: the first letters of its name, as in cat.1.png."""


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


def keep(folder: Path, files: Mapping[str, bytes]) -> None:
    """Store pictures in a new folder, byte for byte, under new names. InvalidInput: the end of a sentence
    that begins with the data's name.
    """
    counted = 0
    for name, data in _unpacked(files):
        kind = PurePosixPath(name).parent.name or (found[0] if (found := CLASS.match(name)) else "")
        kind = re.sub(r"[^\w .-]", "_", kind)[:MOST_NAME].strip(" .")
        if not kind or hidden(kind):
            raise InvalidInput(f"{shown(name)} does not say what it shows; put it in a folder with that name")
        _refuse_no_picture(name, data)
        (folder / kind).mkdir(parents=True, exist_ok=True)
        (folder / kind / f"{counted:04d}.png").write_bytes(data)
        counted += 1
    if not counted:
        raise InvalidInput("holds no PNG, JPEG or WebP")


def _unpacked(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Pictures among uploaded files and within a ZIP, each with its path."""
    for name, data in files.items():
        if not name.lower().endswith(".zip"):
            if not is_image(name):
                raise InvalidInput(f"{shown(name)} is no PNG, JPEG, WebP, ZIP, CSV or Parquet file")
            yield name, data
            continue
        try:
            yield from _of_zip(data)
        except InvalidInput:
            raise
        # what zipfile raises of damaged, encrypted or unknown entries, which are the visitor's to mend
        except (BadZipFile, EOFError, RuntimeError, ValueError, NotImplementedError, OSError, zlib.error):
            raise InvalidInput("is a ZIP that cannot be read, or one with a password") from None


def _of_zip(data: bytes) -> Iterator[tuple[str, bytes]]:
    with ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_FILES:
            raise InvalidInput(f"is a ZIP of {len(entries)} entries; at most {MOST_FILES} are taken")
        if sum(entry.file_size for entry in entries) > MOST_UNPACKED:
            raise InvalidInput(f"is a ZIP that unpacks to more than {MOST_UNPACKED / 1e6:.0f} MB")
        # by other methods a kilobyte becomes a gigabyte before the first byte can be read
        if any(entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for entry in entries):
            raise InvalidInput("is a ZIP packed in a rare way; pack it by the usual one (deflate)")
        for entry in entries:
            path = PurePosixPath(entry.filename)
            if not is_image(path.name) or any(map(hidden, path.parts)):
                continue
            with archive.open(entry) as opened:  # no more than it says
                yield entry.filename, opened.read(entry.file_size)


def _refuse_no_picture(name: str, data: bytes) -> None:
    """Check that a file's first bytes are those of a PNG, JPEG or WebP; nothing is decoded."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as image:
                pixels = image.width * image.height
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError, Image.DecompressionBombError):
        raise InvalidInput(f"{shown(name)} cannot be read as PNG, JPEG or WebP") from None
    if pixels > MOST_PIXELS:
        raise InvalidInput(f"{shown(name)} has over {MOST_PIXELS / 1e6:.0f} million pixels")
