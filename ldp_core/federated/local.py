"""Local training: every client's SGD at once, on one (K, d) matrix."""

from __future__ import annotations

import torch

from ldp_core.federated.batches import Plan
from ldp_core.models.base import Model


def train(
    model: Model,
    start: torch.Tensor,
    x: torch.Tensor,
    y: torch.Tensor,
    plan: Plan,
    learning_rate: float,
    classes: int,
) -> torch.Tensor:
    """Train K copies of a model by SGD, each on its own batches.

    Args:
        model: the architecture.
        start: weights (d,) that all rows start from, or (K, d) with one start for each.
        x, y: all samples (n, *shape) and labels (n,), on the device of `start`.
        plan: the batches of K rows.
        learning_rate: step size.
        classes: number of classes.

    Returns:
        The trained weights (K, d), float32, in the order of the shards that the plan was made of.
        Equal to K separate loops of plain SGD up to rounding (tests/federated/test_local.py).
    """
    shape = tuple(x.shape[1:])
    count = len(plan.rows)
    order = torch.from_numpy(plan.rows)
    weights = (start.expand(count, -1) if start.dim() == 1 else start[order]).clone()
    samples = torch.from_numpy(plan.samples).to(x.device)
    sample_weights = torch.from_numpy(plan.weights).to(x.device)
    for t, active in enumerate(plan.active):
        views = model.views(weights[:active], shape, classes)
        batch = samples[t, :active]
        gradients = model.gradients(views, x[batch], y[batch], sample_weights[t, :active])
        for name, gradient in gradients.items():
            views[name].sub_(gradient, alpha=learning_rate)
    trained = torch.empty_like(weights)
    trained[order] = weights
    return trained
