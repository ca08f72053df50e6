"""The attacker computes uploads as clients make them, whatever optimiser made the step."""

import numpy as np
import pytest
import torch

from ldp_core import optimizers
from ldp_core.experiment import parse, plan
from ldp_core.federated.federation import assemble
from ldp_core.leakage.observe import Victims, audit_values, begun
from tests.attacks.observed import audit_uploads
from tests.data import digits, events


@pytest.mark.parametrize("model", ["logistic_regression", "mlp"])
@pytest.mark.parametrize("target", ["weights", "update"])
@pytest.mark.parametrize("name", optimizers.names())
def test_predicted_upload_of_an_image_equals_the_sent_one(name: str, target: str, model: str):
    ready = assemble(
        plan(parse({"model": model, "target": target, "local": {"optimizer": name, "learning_rate": 0.01}})),
        digits(),
        torch.device("cpu"),
    )
    samples, clients = ready.shards[0][:6], np.zeros(6, np.int64)
    seen = audit_uploads(ready, Victims(clients, samples))[None]
    x, y = digits().train_x[samples], digits().train_y[samples]
    sent = audit_values(begun(ready, clients), samples)
    step = np.abs(sent - seen.base).max()
    np.testing.assert_allclose(seen.uploads_of(x, y), sent, atol=1e-5 * step)


def test_a_posterior_reads_signs_where_adam_sent_signs():
    """At a budget that hides little, it sees where the image has ink, and is closer than the label alone."""
    emitted = events(
        {"clients": {"count": 5, "epsilon": 12, "range": 0.02}, "target": "update", "rounds": 2,
         "local": {"optimizer": "adam", "learning_rate": 0.01}, "attack": {"attacker": "posterior"}}
    )  # fmt: skip
    sent = [e["psnr"] for e in emitted if e["event"] == "attack" and e["control"] is None]
    guess = [e["psnr_class_mean"] for e in emitted if e["event"] == "attack" and e["control"] is None]
    assert np.mean(sent) > np.mean(guess) + 1
