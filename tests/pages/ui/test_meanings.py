"""At most thirty words, each with one meaning."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ldp_core.experiment import parse
from ldp_core.federated.federation import assemble, untrained
from ldp_core.federated.round import one_round
from pages.parts.train.help import TERMS
from pages.parts.ui.meanings import GLOSSARY, glossary
from tests.data import digits


def test_the_glossary_is_short_and_no_symbol_stands_twice():
    assert len(GLOSSARY) <= 30
    symbols = [term.split()[0] for term in GLOSSARY]
    assert len(set(symbols)) == len(symbols)
    assert set(TERMS) <= set(GLOSSARY)
    assert all(sentence.endswith(".") and len(sentence) < 250 for sentence in GLOSSARY.values())
    assert glossary(["Round"]).startswith("- **Round**: All who")


@pytest.mark.parametrize(
    ("changes", "as_far"),
    [
        ({}, False),
        ({"mechanism": {"name": "privunit", "norm": 5.0}}, False),
        ({"form": "as_printed"}, True),
        ({"target": "update"}, True),
    ],
)
def test_noise_variance_moves_the_aggregate_and_the_model_as_far_or_less(
    changes: dict[str, Any], as_far: bool
):
    """An outsider found 26 told where the model moved by 1.4: the corrected form had brought it back."""
    aggregate, model = GLOSSARY["Noise variance"].split(". ")
    assert "moves an average weight of the server's aggregate" in aggregate
    assert model.startswith("Its model is moved as far, or less where the corrected form brings weights back")
    ready = assemble(parse({"clients": {"epsilon": 0.1}} | changes), digits(), torch.device("cpu"))
    one = one_round(ready, untrained(ready))
    moved = float(((one.weights - one.unnoised).double() ** 2).mean())
    assert moved == pytest.approx(one.noise_variance, rel=1e-4) if as_far else moved < one.noise_variance / 2
