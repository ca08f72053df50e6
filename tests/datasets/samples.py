"""Small files in the formats of the real data sets."""

import gzip
import io
import pickle
import struct
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ldp_core.streams import stream


def idx(values: np.ndarray) -> bytes:
    header = struct.pack(f">BBBB{values.ndim}I", 0, 0, 8, values.ndim, *values.shape)
    return gzip.compress(header + values.astype(np.uint8).tobytes(), mtime=0)


def mnist(train: int, test: int) -> dict[str, bytes]:
    files = {}
    for part, count in (("train", train), ("t10k", test)):
        images = stream(0, "audit", count).integers(0, 256, (count, 28, 28))
        images[0, 0, :2] = 0, 255
        files[f"{part}-images-idx3-ubyte.gz"] = idx(images)
        files[f"{part}-labels-idx1-ubyte.gz"] = idx(np.arange(count) % 10)
    return files


def cifar10(each: int) -> tuple[bytes, dict[str, bytes]]:
    """CIFAR-10's archive with `each` images a batch, and the files in it."""
    files: dict[str, bytes] = {"batches.meta": pickle.dumps({"label_names": list("abcdefghij")}, protocol=2)}
    for i, name in enumerate([*(f"data_batch_{n}" for n in range(1, 6)), "test_batch"]):
        pixels = stream(0, "audit", i).integers(0, 256, (each, 3072)).astype(np.uint8)
        pixels[0, :2] = 0, 255
        labels = [int(label) for label in (np.arange(each) + i) % 10]
        files[name] = pickle.dumps({"data": pixels, "labels": labels}, protocol=2)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, body in files.items():
            info = tarfile.TarInfo(f"cifar-10-batches-py/{name}")
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return packed.getvalue(), files


def covtype(rows: int) -> bytes:
    """Cover types: ten measurements, 44 yes-or-no columns, a class from 1 to 7."""
    generator = stream(0, "audit")
    measured = generator.normal(2000, 500, (rows, 10)).astype(int)
    flags = generator.integers(0, 2, (rows, 44))
    label = (np.arange(rows) % 7 + 1)[:, None]
    table = np.hstack([measured, flags, label])
    return gzip.compress("\n".join(",".join(map(str, row)) for row in table).encode(), mtime=0)


def image(size: tuple[int, int] = (40, 30), mode: str = "RGB", colour: Any = None) -> Image.Image:
    return Image.new(mode, size, colour if colour is not None else "red")


def folder(root: Path, name: str, classes: dict[str, int], split: bool = True) -> Path:
    """A folder of images: so many of each class, in `train` and `test` or without."""
    for part in ("train", "test") if split else ("",):
        for i, (label, count) in enumerate(classes.items()):
            place = root / name / part / label
            place.mkdir(parents=True)
            for n in range(count):
                suffix = ".png" if n % 2 else ".jpg"
                image(colour=(0, 40 * i, 255 if i else 0)).save(place / f"{n:03}{suffix}")
    return root / name
