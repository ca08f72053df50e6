"""Networks and data at random: Hypothesis draws them, PyTorch says what must come out."""

from typing import Any

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldp_core import models
from ldp_core.engines.fused.training import scores_fused, train_fused
from ldp_core.models._grammar import ACTIVATIONS
from ldp_core.models.base import Model
from ldp_core.models.mlp2 import MLP2
from tests.engines.cases import exact, plan_of, recipe_of, reference, samples_of, start_of
from tests.extent import in_gate

KINDS = ((torch.float64, 1e-11), (torch.float32, 1e-4))
"""Of numbers, with how far apart results may be."""
EACH: list[tuple[tuple[torch.dtype, float], ...]] = in_gate([KINDS[:1], KINDS[1:]], [KINDS])
"""In the gate a network meets one of them."""
SLOW = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)


BENDS = st.sampled_from(ACTIVATIONS)


@st.composite
def networks(draw: st.DrawFn) -> tuple[Model, tuple[int, ...], int]:
    classes = draw(st.integers(2, 40))
    if draw(st.integers(0, 3)) == 0:
        model = MLP2(hidden=draw(st.integers(1, 70)), second=draw(st.integers(1, 40)))
        return model, (draw(st.integers(1, 200)),), classes
    shape = (draw(st.integers(1, 5)), draw(st.integers(3, 30)), draw(st.integers(3, 45)))
    sides, layers = list(shape[1:]), []
    for _ in range(draw(st.integers(1, 3))):
        padding = draw(st.sampled_from([0, 0, 1, 3]))
        size, stride = draw(st.integers(1, min(7, *sides))), draw(st.sampled_from([1, 1, 2, 3]))
        layers.append(
            f"conv {draw(st.integers(1, 22))} {size} stride {stride} padding {padding} {draw(BENDS)}"
        )
        sides = [(side + 2 * padding - size) // stride + 1 for side in sides]
        pool = draw(st.sampled_from([1, 2, 2, 3]))
        if 1 < pool <= min(sides):
            layers.append(f"{draw(st.sampled_from(['pool', 'avg_pool']))} {pool}")
            sides = [side // pool for side in sides]
    layers += [f"dense {draw(st.integers(1, 40))} {draw(BENDS)}" for _ in range(draw(st.integers(0, 2)))]
    return models.get("own", layers=", ".join([*layers, "dense 5 relu"])), shape, classes


@given(
    drawn=networks(),
    sizes=st.lists(st.integers(1, 25), min_size=1, max_size=4),
    batch=st.integers(1, 25),
    seed=st.integers(0, 2**20),
    kinds=st.sampled_from(EACH),
)
@settings(max_examples=in_gate(3, 60), suppress_health_check=SLOW)
def test_any_network_on_any_data(
    drawn: tuple[Model, tuple[int, ...], int], sizes: list[int], batch: int, seed: int, kinds: Any
):
    model, shape, classes = drawn
    recipe = recipe_of(model, shape, classes, rate=0.05)
    for kind, tolerance in kinds:
        data, start = samples_of(recipe, sum(sizes), kind, seed), start_of(recipe, kind, seed)
        plan = plan_of(sizes, batch, 1, seed)
        plan = exact(plan) if kind == torch.float64 else plan
        # into memory where another has diverged before
        train_fused(recipe, start * float("nan"), data[0], data[1], plan, 1)
        trained = train_fused(recipe, start, data[0], data[1], plan, 1)
        expected = reference(recipe, start, data, plan)
        assert (trained - expected).abs().max() < tolerance
        views = {name: view[0] for name, view in model.views(start[None], shape, classes).items()}
        assert (
            scores_fused(recipe, start, data[2], 1) - model.scores(views, data[2])
        ).abs().max() < tolerance
