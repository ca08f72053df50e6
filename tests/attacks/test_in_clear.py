"""A fifth of an upload in clear, through convolutions: which weights it is shows, and so does the image."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core import datasets
from ldp_core.attacks.idlg import IDLG
from ldp_core.attacks.shared.public_steps import public_steps
from ldp_core.attacks.shared.reading import labels, read
from ldp_core.experiment import parse, plan
from tests.attacks.observed import back, observed
from tests.data import events

BASE: dict[str, Any] = {
    "system": {"name": "pprd_fl"},
    "dataset": "mnist_sample",
    "form": "as_printed",
    "model": "lenet",
    "local": {"optimizer": "sgd", "epochs": 1, "learning_rate": 0.01},
}


@pytest.mark.parametrize("epsilon", [8.0, 1.0])
def test_clear_weights_are_recognised_and_give_the_image(epsilon: float):
    """Four images of the sample, seed 0; of noise as large as at ε 8 the few that lie near are less near."""
    data = datasets.get("mnist_sample").load(Path("nowhere"))
    seen, truth = observed(data, 4, BASE, epsilon, None)
    exact, _ = observed(data, 4, BASE, epsilon, "clean")
    clear = np.abs(seen.uploads[0] - exact.uploads[0]) < 1e-9
    reading = read(seen, public_steps([seen]))
    assert reading.known is not None
    assert (clear & ~reading.known).sum() < 0.01 * clear.sum()
    assert (reading.known & ~clear).sum() < 0.01 * clear.sum()
    assert np.array_equal(labels(seen, reading), exact.labels())
    assert not np.array_equal(seen.labels(), exact.labels()), "the last bias alone is perturbed, and lies"
    assert np.median(back(IDLG(iterations=100), seen, truth)) > 20


def test_auto_search_on_clear_weights_recovers_an_image():
    """Nothing is divided out of convolutions, so that "auto" searches; the worst upload is back."""
    changes = {**BASE, "dataset": "digits", "rounds": 1, "attack": {"clients": [1], "rounds": [1]}}
    (spy,) = plan(parse(changes)).spies
    assert spy.attacker == "idlg"
    (sent,) = (e for e in events(changes) if e["event"] == "attack" and e["control"] is None)
    assert sent["psnr"] > 20
