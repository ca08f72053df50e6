"""Images in JSON: eight bits a pixel, base64."""

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def encode(image: ArrayLike) -> dict[str, Any]:
    """Pixels in [0, 1] as `{"shape": [8, 8], "pixels": base64 of one byte each, row by row}`."""
    pixels = np.round(np.clip(np.asarray(image, dtype=np.float64), 0, 1) * 255).astype(np.uint8)
    return {"shape": list(pixels.shape), "pixels": base64.b64encode(pixels.tobytes()).decode()}


def decode(image: dict[str, Any]) -> NDArray[np.uint8]:
    """Pixels 0 … 255 of an encoded image."""
    flat = np.frombuffer(base64.b64decode(image["pixels"]), dtype=np.uint8)
    return flat.reshape(image["shape"])


def as_data_url(image: dict[str, Any]) -> str:
    """Encoded image, (rows, columns) or (3, rows, columns), as a PNG in a `data:` URL."""
    pixels = decode(image)
    pixels = pixels[..., None] if pixels.ndim == 2 else np.moveaxis(pixels, 0, -1)
    rows, columns, channels = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    header = struct.pack(">IIBBBBB", columns, rows, 8, 0 if channels == 1 else 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
