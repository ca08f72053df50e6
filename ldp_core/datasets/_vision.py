"""Import of torchvision without its compiled operators.

PyPI's wheel of torchvision is compiled for the CUDA build of torch; beside a CPU build its operators do not
load, and the import fails at the first one registered. Data sets need none of them, so two are declared by
name and the import is repeated.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ldp_core.datasets._downloaded import Downloaded

MISSING = ("nms", "qnms")
SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


class OfTorchvision(Downloaded):
    def source(self) -> Any:
        """torchvision's class with addresses, checksums and parser."""
        return getattr(load_torchvision().datasets, type(self).__name__)


def load_torchvision() -> ModuleType:
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
    return torchvision
