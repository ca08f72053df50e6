"""A plain PyTorch loop, as a tutorial has it, on one thread."""

import torch

from tests.benchmarks.contenders.work import CLIENTS, net, samples, serve, trained, vector

torch.set_num_threads(1)
X, Y = samples()
MODULE = net()
START = vector(MODULE)


def one_round() -> torch.Tensor:
    total = torch.zeros_like(START)
    for k in range(CLIENTS):
        torch.nn.utils.vector_to_parameters(START.clone(), MODULE.parameters())
        trained(MODULE, X[k], Y[k])
        total += vector(MODULE)
    return total / CLIENTS


serve(one_round)
