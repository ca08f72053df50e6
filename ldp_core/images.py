"""Images inside JSON: eight bits a pixel, base64."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def encode(image: ArrayLike) -> dict[str, Any]:
    """Pixels in [0, 1] as `{"shape": [8, 8], "pixels": base64 of one byte each, row by row}`."""
    pixels = np.round(np.clip(np.asarray(image, dtype=np.float64), 0, 1) * 255).astype(np.uint8)
    return {"shape": list(pixels.shape), "pixels": base64.b64encode(pixels.tobytes()).decode()}


def decode(image: dict[str, Any]) -> NDArray[np.uint8]:
    """The pixels 0 … 255 of an encoded image."""
    flat = np.frombuffer(base64.b64decode(image["pixels"]), dtype=np.uint8)
    return flat.reshape(image["shape"])
