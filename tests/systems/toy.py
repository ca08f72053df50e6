"""The system of ldp_core/HOW_TO_ADD.md, put among the others."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ldp_core import systems
from tests.conftest import ROOT

NAME = "own_heads"


def source() -> str:
    text = (ROOT / "ldp_core" / "HOW_TO_ADD.md").read_text(encoding="utf-8")
    block = rf"^`ldp_core/systems/{NAME}\.py`\n\n```python\n(.*?)^```$"
    found = re.search(block, text, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """Its name can be used within."""
    (folder / f"{NAME}.py").write_text(source(), encoding="utf-8")
    systems.__path__.append(str(folder))
    vars(systems.registry).pop("_classes", None)
    try:
        yield
    finally:
        systems.__path__.remove(str(folder))
        sys.modules.pop(f"ldp_core.systems.{NAME}", None)
        vars(systems.registry).pop("_classes", None)
