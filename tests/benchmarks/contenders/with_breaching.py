"""breaching (PyPI), image by image, on what a file asks for; run by an interpreter that has it.

    python with_breaching.py TASK.npz FOUND.npz

Its cosine attack ("invertinggradients") as configured there, but for the number of steps, and without its
total variation, which takes three channels. torchvision, lpips and what else it imports for its own data sets
are replaced by nothing: none of it is used.
"""

from __future__ import annotations

import importlib.util
import sys
import time
import warnings
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np

OTHERS = (
    "torchvision", "torchvision.transforms", "torchvision.transforms.functional", "torchvision.models",
    "torchvision.models.resnet", "torchvision.models.densenet", "torchvision.models.vgg",
    "torchvision.datasets", "torchvision.datasets.utils", "torchvision.datasets.folder",
    "torchvision.datasets.vision",
)  # fmt: skip
MAYBE = ("sentencepiece", "lmdb", "pandas", "datasets", "transformers", "torchmetrics", "kornia", "lpips")


class Nothing(MagicMock):
    """A module whose every name is there and does nothing."""

    __path__: Any = ()
    __spec__: Any = None


def main() -> None:
    warnings.filterwarnings("ignore")
    for name in (*OTHERS, *(one for one in MAYBE if importlib.util.find_spec(one) is None)):
        sys.modules[name] = Nothing()
    import breaching  # type: ignore[import-not-found]
    import torch

    from tests.benchmarks.attacks import module_of

    torch.set_num_threads(1)
    task = dict(np.load(sys.argv[1]))
    model = module_of(str(task["model"]), torch.from_numpy(task["weights"]))
    setup = {"device": torch.device("cpu"), "dtype": torch.float}
    loss = torch.nn.CrossEntropyLoss()
    metadata = SimpleNamespace(shape=(1, 28, 28), modality="vision", classes=10)
    payload = [{"parameters": [p.detach() for p in model.parameters()], "buffers": [], "metadata": metadata}]
    found, seconds = [], []
    for steps in task["steps"].tolist():
        images, spent = [], 0.0
        for x, y in zip(torch.from_numpy(task["x"]), torch.from_numpy(task["y"]), strict=True):
            gradients = torch.autograd.grad(loss(model(x[None, None]), y[None]), list(model.parameters()))
            about = {"num_data_points": 1, "labels": y[None], "local_hyperparams": None}
            shared = [{"gradients": list(gradients), "buffers": None, "metadata": about}]
            config = breaching.get_attack_config("invertinggradients")
            config.regularization, config.optim.max_iterations = None, int(steps)
            attacker = breaching.attacks.prepare_attack(model, loss, config, setup)
            began = time.process_time()
            given, _ = attacker.reconstruct(payload, shared, {})
            spent += time.process_time() - began
            images.append(given["data"][0, 0].numpy())
        found.append(images)
        seconds.append(spent)
    np.savez(sys.argv[2], images=np.array(found), seconds=np.array(seconds))


if __name__ == "__main__":
    main()
