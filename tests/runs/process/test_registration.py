"""The register of the worker, when what it says makes no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_core.runs.process import registration

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.mark.parametrize("said", ['{"pid": -1, "since": 1}', '{"pid": 1e400, "since": "x"}', "[]", "{", ""])
def test_a_register_that_makes_no_sense_is_nobody(runs_dir: Path, said: str):
    runs_dir.mkdir()
    (runs_dir / "worker.json").write_text(said)
    assert not registration.is_registered()
    assert not registration.is_replaced()
