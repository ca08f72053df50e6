"""Reading of untrusted npz files: no code in them is run, and sizes are checked before unpacking."""

from io import BytesIO
from math import prod
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ldp_core.errors import InvalidInput, shown
from ldp_core.system.zip_directory import short_directory

MOST_BYTES = 512_000_000
MOST_ARRAYS = 2000
DIRECTORY = 400_000
"""Largest size of the ZIP's directory in bytes; each array takes 200."""
HEADER = 4096
KINDS = "fiub"
"""Accepted kinds of numpy types: floats, integers, booleans."""
HOW = "save it with numpy.savez(FILE, **arrays), arrays of numbers alone"

Arrays = dict[str, NDArray[Any]]


def read_arrays(source: str | Path | bytes, most: int = MOST_BYTES) -> Arrays:
    """Arrays of a file, given by path or bytes, by name in their order; read-only. InvalidInput if there is
    no such file, or for anything but arrays of numbers, of at most `most` bytes together.
    """
    try:
        with BytesIO(source) if isinstance(source, bytes) else Path(source).open("rb") as stream:
            return _read(stream, most)
    except InvalidInput:
        raise
    except OSError as error:
        raise InvalidInput(
            f"cannot read {source if isinstance(source, str | Path) else 'it'}: {error.strerror}"
        ) from None


def _read(stream: IO[bytes], most: int) -> Arrays:
    if not short_directory(stream, DIRECTORY):
        raise InvalidInput(f"this is no npz file, or one of more than {MOST_ARRAYS} arrays; {HOW}")
    try:
        with ZipFile(stream) as archive:
            entries = archive.infolist()
            size = sum(entry.file_size for entry in entries)
            if size > most or len(entries) > MOST_ARRAYS:
                raise InvalidInput(
                    f"the npz unpacks to {len(entries)} arrays of {size / 1e6:,.1f} MB, and at most "
                    f"{MOST_ARRAYS} of {most / 1e6:,.0f} MB are read"
                )
            found: Arrays = {}
            for entry in entries:
                name = entry.filename.removesuffix(".npy")
                if name in found or name == entry.filename:
                    raise InvalidInput(
                        f"{shown(entry.filename)} in the npz is no array, or is there twice; {HOW}"
                    )
                found[name] = _array(archive, entry, shown(name))
            return found
    except InvalidInput:
        raise
    except Exception as error:  # zipfile, zlib and numpy raise many kinds for a damaged file
        raise InvalidInput(f"this npz file is damaged ({type(error).__name__}); {HOW}") from None


def _array(archive: ZipFile, entry: ZipInfo, name: str) -> NDArray[Any]:
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or entry.flag_bits & 1:
        raise InvalidInput(f"{name} is packed in a way that numpy does not use, or encrypted; {HOW}")
    with archive.open(entry) as file:
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(
            npy.read_magic(file)
        )
        if read is None:
            raise InvalidInput(f"{name} is written in a form of npy that is not read here; {HOW}")
        shape, by_column, kind = read(file, max_header_size=HEADER)
        refuse_no_numbers(name, shape, kind)
        if prod(shape) * kind.itemsize > entry.file_size:
            raise InvalidInput(
                f"{name} is said to be {shape} numbers, and the file holds fewer: it is damaged"
            )
        data = file.read(prod(shape) * kind.itemsize)
    return np.frombuffer(data, kind).reshape(shape, order="F" if by_column else "C")


def refuse_no_numbers(name: str, shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
    if kind.hasobject:
        raise InvalidInput(f"{name} holds pickled Python objects, which could run code: not read; {HOW}")
    if kind.kind not in KINDS or len(shape) > 8 or any(side < 0 for side in shape):
        raise InvalidInput(f"{name} holds {kind} of shape {shape}, and numbers are asked for; {HOW}")
