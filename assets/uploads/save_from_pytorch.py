"""Save what one client of a PyTorch loop would send, for

    python -m ldp_core inspect upload.npz --card card.json

Put your own model and batch into `main`; the rest stays as it is. One picture and one step are the worst
case; say on the card what is true of yours.
"""

import json
from pathlib import Path

import numpy as np
import torch


def save_upload(model: torch.nn.Module, train, path: str) -> None:
    """Run `train` and save the model's parameters before and after it."""
    arrays = {f"before/{name}": one.detach().cpu().numpy().copy() for name, one in model.named_parameters()}
    train()
    arrays |= {f"after/{name}": one.detach().cpu().numpy() for name, one in model.named_parameters()}
    np.savez(path, **arrays)


def main() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10)
    )
    pictures, labels = torch.rand(1, 8, 8), torch.tensor([3])
    step = torch.optim.SGD(model.parameters(), lr=0.1)

    def train() -> None:
        step.zero_grad()
        torch.nn.functional.cross_entropy(model(pictures), labels).backward()
        step.step()

    save_upload(model, train, "upload.npz")
    card = {
        "model": {"layers": "dense 32 relu"},
        "shape": [8, 8],
        "classes": 10,
        "sent": "weights",
        "steps": 1,
        "batch": 1,
        "learning_rate": 0.1,
    }
    Path("card.json").write_text(json.dumps(card), encoding="utf-8")


if __name__ == "__main__":
    main()
