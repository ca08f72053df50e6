"""Many minimisations side by side: each row reaches its own minimum, whoever is beside it."""

from __future__ import annotations

import torch

from ldp_core.attacks.shared.minimise import minimise


def rosenbrock(at: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    at = at.detach().requires_grad_()
    scale = torch.tensor([1.0, 100.0, 1e4], dtype=at.dtype)[rows]
    values = (1 - at[:, 0]) ** 2 + scale * (at[:, 1] - at[:, 0] ** 2) ** 2
    (slopes,) = torch.autograd.grad(values.sum(), at)
    return values.detach(), slopes


def test_valleys_of_different_steepness_are_followed_to_their_ends():
    start = torch.tensor([[-1.2, 1.0]] * 3, dtype=torch.float64)
    end, value = minimise(rosenbrock, start, 300)
    torch.testing.assert_close(end, torch.ones_like(end), rtol=0, atol=1e-4)
    assert value.max() < 1e-9
    alone, _ = minimise(rosenbrock, start[:1], 300)
    torch.testing.assert_close(alone, end[:1], rtol=0, atol=1e-9)


def test_no_step_goes_up_and_what_is_no_number_stays_where_it_is():
    shares: list[float] = []
    start = torch.tensor([[-1.2, 1.0], [torch.nan, 0.0]], dtype=torch.float64)
    lowest = rosenbrock(start, torch.arange(2))[0][0]
    for steps in (1, 2, 5, 10):
        end, value = minimise(rosenbrock, start, steps, shares.append)
        assert value[0] < lowest
        lowest = value[0]
        assert torch.isnan(end[1, 0])
    assert shares == [1.0, 0.5, 1.0, *(i / 5 for i in range(1, 6)), *(i / 10 for i in range(1, 11))]
