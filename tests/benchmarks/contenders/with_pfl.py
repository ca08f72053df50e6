"""pfl-research 0.6.0: SimulatedBackend and FederatedAveraging; started once for every rank."""

from typing import Any

import numpy as np
import torch
from pfl.aggregate.simulate import SimulatedBackend  # type: ignore[import-not-found]
from pfl.algorithm.base import NNAlgorithmParams  # type: ignore[import-not-found]
from pfl.algorithm.federated_averaging import FederatedAveraging  # type: ignore[import-not-found]
from pfl.data.dataset import Dataset  # type: ignore[import-not-found]
from pfl.data.federated_dataset import FederatedDataset  # type: ignore[import-not-found]
from pfl.data.sampling import get_user_sampler  # type: ignore[import-not-found]
from pfl.hyperparam import NNEvalHyperParams, NNTrainHyperParams  # type: ignore[import-not-found]
from pfl.metrics import Weighted  # type: ignore[import-not-found]
from pfl.model.pytorch import PyTorchModel  # type: ignore[import-not-found]

from tests.benchmarks.contenders.work import BATCH, CLIENTS, RATE, net, samples, serve, vector

torch.set_num_threads(1)
X, Y = samples()


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = net()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.net(x)
        return found

    def loss(self, x: torch.Tensor, y: torch.Tensor, is_eval: bool = False) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(self(x), y)

    def metrics(self, x: torch.Tensor, y: torch.Tensor, is_eval: bool = True) -> dict[str, Any]:
        return {"samples": Weighted(len(x), 1)}


module = Net()
START = vector(module)
model = PyTorchModel(module, torch.optim.SGD, torch.optim.SGD(module.parameters(), lr=1.0))
users = get_user_sampler("minimize_reuse", list(range(CLIENTS)))
data = FederatedDataset(lambda user: Dataset(raw_data=[X[user], Y[user]]), users)
backend = SimulatedBackend(training_data=data, val_data=None, postprocessors=[])
train = NNTrainHyperParams(local_num_epochs=1, local_learning_rate=RATE, local_batch_size=BATCH)


def one_round() -> torch.Tensor:
    torch.nn.utils.vector_to_parameters(START.clone(), module.parameters())
    np.random.seed(0)  # noqa: NPY002 - pfl draws its users from numpy's global generator
    algorithm = FederatedAveraging()
    algorithm._current_central_iteration = 1  # in iteration 0 it evaluates, whatever the frequency
    algorithm.run(
        algorithm_params=NNAlgorithmParams(
            central_num_iterations=2, evaluation_frequency=10**9, train_cohort_size=CLIENTS, val_cohort_size=0
        ),
        backend=backend,
        model=model,
        model_train_params=train,
        model_eval_params=NNEvalHyperParams(local_batch_size=None),
        callbacks=[],
        send_metrics_to_platform=False,
    )
    return vector(module)


serve(one_round)
