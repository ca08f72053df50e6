"""A plain PyTorch loop, as a tutorial has it; the argument is the number of threads."""

from __future__ import annotations

import sys

import torch

from tests.benchmarks.contenders.work import BATCH, CLIENTS, EPOCHS, RATE, net, samples, serve, vector

torch.set_num_threads(int(sys.argv[1]))
X, Y = samples()
MODULE = net()
START = vector(MODULE)


def one_client(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    torch.nn.utils.vector_to_parameters(START.clone(), MODULE.parameters())
    optimizer = torch.optim.SGD(MODULE.parameters(), lr=RATE)
    for _ in range(EPOCHS):
        for images, labels in zip(torch.split(x, BATCH), torch.split(y, BATCH), strict=True):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(MODULE(images.unsqueeze(1)), labels)
            torch.autograd.backward(loss)
            optimizer.step()
    return vector(MODULE)


def one_round() -> torch.Tensor:
    return torch.stack([one_client(X[k], Y[k]) for k in range(CLIENTS)]).mean(0)


serve(one_round)
