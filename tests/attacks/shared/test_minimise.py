"""Many minimisations side by side: each row reaches its own minimum, whatever is beside it."""

import torch

from ldp_core.attacks.shared.minimise import Curved, Signed


def rosenbrock(at: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    at = at.detach().requires_grad_()
    scale = torch.tensor([1.0, 100.0, 1e4], dtype=at.dtype)[rows]
    values = (1 - at[:, 0]) ** 2 + scale * (at[:, 1] - at[:, 0] ** 2) ** 2
    (slopes,) = torch.autograd.grad(values.sum(), at)
    return values.detach(), slopes


def ended(start: torch.Tensor, steps: int) -> Curved:
    one = Curved(rosenbrock, start, steps)
    one.advance(steps)
    return one


def test_rows_of_unlike_steepness_reach_their_minima():
    start = torch.tensor([[-1.2, 1.0]] * 3, dtype=torch.float64)
    end = ended(start, 300)
    torch.testing.assert_close(end.x, torch.ones_like(end.x), rtol=0, atol=1e-4)
    assert end.value.max() < 1e-9
    torch.testing.assert_close(ended(start[:1], 300).x, end.x[:1], rtol=0, atol=1e-9)


def test_steps_never_go_up_and_nan_rows_stay():
    start = torch.tensor([[-1.2, 1.0], [torch.nan, 0.0]], dtype=torch.float64)
    lowest = rosenbrock(start, torch.arange(2))[0][0]
    for steps in (1, 2, 5, 10):
        end = ended(start, steps)
        assert end.value[0] < lowest
        lowest = end.value[0]
        assert torch.isnan(end.x[1, 0])


def test_interrupted_minimisation_resumes_to_the_same_bits():
    start = torch.tensor([[-1.2, 1.0], [0.3, 0.1]], dtype=torch.float64)
    for kind in (Curved, Signed):
        whole, parts = kind(rosenbrock, start, 40), kind(rosenbrock, start, 40)
        whole.advance(40)
        for until in (1, 7, 8, 40):
            parts.advance(until)
        assert torch.equal(whole.x, parts.x)
        assert whole.value[0] < rosenbrock(start, torch.arange(2))[0][0]
