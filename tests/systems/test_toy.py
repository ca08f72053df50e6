"""The seam for systems, by that of ldp_core/HOW_TO_ADD.md: personal layers, and half of the rest in clear."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core import systems, theory
from ldp_core.experiment import parse, plan
from tests.data import events, rounds
from tests.guide import EXAMPLES

NAME = "own_heads"
RUN: dict[str, Any] = {"system": NAME, "rounds": 4, "attack": None}


@pytest.fixture(autouse=True)
def there(tmp_path: Path) -> Iterator[None]:
    """The guide's system is among the others."""
    (tmp_path / f"{NAME}.py").write_text(EXAMPLES[f"ldp_core/systems/{NAME}.py"], encoding="utf-8")
    systems.__path__.append(str(tmp_path))
    vars(systems.registry).pop("_classes", None)
    yield
    systems.__path__.remove(str(tmp_path))
    sys.modules.pop(f"ldp_core.systems.{NAME}", None)
    vars(systems.registry).pop("_classes", None)


def test_half_of_the_noise_is_gone_and_theory_says_so():
    """Of Laplace noise, which is the same for every weight: 20 rounds × 2 080 weights, within 5 %."""
    plain = {"model": "mlp", "mechanism": "laplace", "clients": {"count": 10, "epsilon": 4}}
    toys = RUN | {"mechanism": "laplace", "rounds": 20}
    whole, half = (theory.server_variance(parse(e)) for e in (plain, toys))
    assert half == pytest.approx(whole / 2, rel=1e-12)
    measured = np.mean([r["noise_variance"] for r in rounds(toys)])
    assert measured == pytest.approx(half, rel=0.05)


def test_every_client_is_scored_with_its_own_model():
    *_, last = rounds(RUN | {"rounds": 10})
    each = last["accuracy_per_client"]
    assert len(each) == 10
    assert len(set(each)) > 1, "their last layers differ"
    assert last["accuracy"] == pytest.approx(np.mean(each))
    assert last["accuracy"] > 0.3, "it learns"
    assert 0 < last["accuracy_per_group"]["strict"] <= 1


def test_unreadable_system_is_not_attacked():
    asked = RUN | {"attack": "auto"}
    assert "own heads" in plan(parse(asked)).why_not
    assert not [event for event in events(asked) if event["event"] == "attack"]
