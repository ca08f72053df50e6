"""Audit uploads: one image, one step, three versions, the same images whatever the mechanism."""

import numpy as np
import torch

from ldp_core.experiment import parse, plan
from ldp_core.federated.federation import assemble
from ldp_core.leakage.observe import choose_victims
from tests.attacks.observed import audit_uploads
from tests.data import digits

CPU = torch.device("cpu")


def test_default_victims_are_min_median_and_max_budgets():
    ready = assemble(plan(parse({"clients": {"count": 5, "epsilon": [3, 1, 2, 9, 5]}})), digits(), CPU)
    victims = choose_victims(ready)
    assert victims.clients.tolist() == [1, 0, 3]
    for client, sample in zip(victims.clients, victims.samples, strict=True):
        assert sample in ready.shards[client]


def test_few_clients_are_attacked_once_each():
    for count in (1, 2):
        ready = assemble(plan(parse({"clients": {"count": count, "epsilon": 1}})), digits(), CPU)
        assert choose_victims(ready).clients.tolist() == list(range(count))


def test_victims_image_is_independent_of_mechanism():
    chosen = []
    for changes in ({}, {"mechanism": "duchi"}, {"attack": {"clients": [20, 4]}}):
        victims = choose_victims(assemble(plan(parse(changes)), digits(), CPU))
        chosen.append(dict(zip(victims.clients.tolist(), victims.samples.tolist(), strict=True)))
    assert chosen[0] == chosen[1]
    assert chosen[0][19] == chosen[2][19]


def test_the_three_versions_differ_as_they_say():
    ready = assemble(plan(parse({"clients": {"range": 0.05}})), digits(), CPU)
    seen = audit_uploads(ready, choose_victims(ready))
    assert np.abs(seen["clean"].uploads).max() > 0.05
    assert np.abs(seen["clipped"].uploads).max() <= 0.05 + 1e-9
    assert np.abs(seen[None].uploads).max() > 0.1
