"""DLG's LeNet."""

import numpy as np

from ldp_core import models
from ldp_core.streams import stream


def test_wide_initial_weights_are_those_of_the_attack():
    wide = models.get("lenet", start="wide").initial((28, 28), 10, stream(0, "initial model"))
    assert 0.49 < np.abs(wide).max() <= 0.5
    assert abs(wide.std() - 1 / np.sqrt(12)) < 0.01
    usual = models.get("lenet").initial((28, 28), 10, stream(0, "initial model"))
    assert np.abs(usual).max() <= 0.2 + 1e-6
