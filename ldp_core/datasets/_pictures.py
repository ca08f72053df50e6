"""Decoding of untrusted pictures, and of uploads of them, as files or in a ZIP."""

import io
import re
import warnings
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import BinaryIO
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


def decoded(file: Path | BinaryIO, name: str) -> NDArray[np.uint8]:
    """Image as (3, SIDE, SIDE): centre square, scaled, in colour; from a PNG, JPEG or WebP, whatever its
    ending. `BadImage`, by this name, if it is none, damaged or too large.
    """
    from PIL import Image, ImageOps

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
    except MemoryError:
        raise BadImage(name, "needs more memory than may be taken") from None
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        raise BadImage(name, f"cannot be read as a {KINDS} ({type(error).__name__})") from None
    return np.asarray(square).transpose(2, 0, 1)


def by_kind(files: Mapping[str, bytes]) -> dict[str, list[NDArray[np.uint8]]]:
    """Uploaded pictures by what they show. InvalidInput: the end of a sentence that begins with the data's
    name.
    """
    found, counted = dict[str, list[NDArray[np.uint8]]](), 0
    for name, data in _unpacked(files):
        kind = PurePosixPath(name).parent.name or (word[0] if (word := CLASS.match(name)) else "")
        kind = re.sub(r"[^\w .-]", "_", kind)[:MOST_NAME].strip(" .")
        if not kind or hidden(kind):
            raise InvalidInput(f"{shown(name)} does not say what it shows; put it in a folder with that name")
        if (counted := counted + 1) > MOST_FILES:
            raise InvalidInput(f"holds more than {MOST_FILES} pictures")
        try:
            found.setdefault(kind, []).append(decoded(io.BytesIO(data), name))
        except BadImage as error:
            raise InvalidInput(f"{shown(name)} {error.what}") from None
    if not counted:
        raise InvalidInput("holds no PNG, JPEG or WebP")
    if len(found) < 2:
        raise InvalidInput(f"shows {shown(next(iter(found)))} alone; at least two kinds are needed")
    return dict(sorted(found.items()))


def _unpacked(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Pictures among uploaded files and within a ZIP, each with its path."""
    for name, data in files.items():
        if not name.lower().endswith(".zip"):
            if not is_image(name):
                raise InvalidInput(f"{shown(name)} is no PNG, JPEG, WebP, ZIP or CSV file")
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
