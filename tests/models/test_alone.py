"""PyTorch's own operators, and the quicker ones that stand for them where no gradients are asked for."""

import pytest
import torch

from ldp_core.models._operators import Alone


@pytest.mark.parametrize("shape", [(3, 1, 2, 2), (2, 10, 24, 24), (2, 20, 7, 9), (1, 3, 3, 2)])
def test_maxima_are_the_same_with_and_without_gradients(shape: tuple[int, ...]):
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(-3, 3, shape, generator=generator).float()  # with many ties
    x[0, 0, 0, 0] = torch.nan
    for layout in (torch.contiguous_format, torch.channels_last):
        held = x.contiguous(memory_format=layout)
        quick, whole = Alone({}).pool(held), Alone({}).pool(held.clone().requires_grad_())
        assert torch.equal(quick.nan_to_num(99), whole.detach().nan_to_num(99))
