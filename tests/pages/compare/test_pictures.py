"""The pictures of compared runs are those of the record, each pixel a square."""

import numpy as np

from ldp_core.images import encode
from pages.parts.charts.frames import enlarged


def test_a_picture_is_enlarged_without_a_blur():
    for shape in ((8, 8), (28, 28), (3, 32, 32)):
        image = np.linspace(0, 1, int(np.prod(shape))).reshape(shape)
        large = enlarged(encode(image), 112)
        assert min(large.shape[:2]) >= 112 and large.shape[2:] == ((3,) if len(shape) == 3 else ())
        times = large.shape[0] // shape[-1]
        first = large[:times, :times].reshape(times * times, -1)
        assert (first == first[0]).all(), "one pixel is one colour"
