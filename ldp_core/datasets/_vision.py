"""torchvision, imported where its compiled operators may be missing.

The wheel of torchvision on PyPI is compiled against the CUDA build of torch; beside a CPU build its
operators do not load, and the import stops at the first that it wants to describe. The data sets
need none of them, so two are declared by name and the import is tried again.
"""

from __future__ import annotations

import sys
from types import ModuleType

MISSING = ("nms", "qnms")
SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


def load_torchvision() -> ModuleType:
    """The torchvision module; its own error if it fails for another reason."""
    try:
        import torchvision
    except RuntimeError as error:
        if "torchvision::" not in str(error):
            raise
        for name in [n for n in sys.modules if n.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        import torch

        for operator in MISSING:
            torch.library.define(f"torchvision::{operator}", SIGNATURE)
        import torchvision
    module: ModuleType = torchvision
    return module
