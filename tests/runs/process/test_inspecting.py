"""A look at an upload in a process of its own."""

import io
import json

import numpy as np
import pytest

from ldp_core.errors import InvalidInput, StudioError
from ldp_core.inspection import apart
from ldp_core.runs import inspecting
from ldp_core.settings import OWN_DATA_HOURS
from ldp_core.system import bounded
from tests.inspection.made import upload


def files() -> tuple[bytes, bytes]:
    arrays, card = upload()
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue(), json.dumps(card).encode()


def test_inspection_returns_verdict_or_refusal():
    data, card = files()
    assert inspecting.inspected(data, card)["verdict"] == "comes back"
    with pytest.raises(StudioError, match="no npz file"):
        inspecting.inspected(b"PK", card)
    for wrong, words in ((b"\xff", "no text"), (b"{", "JSON")):
        with pytest.raises(StudioError, match=words):
            apart.main({}, {"upload": data, "card": wrong})


def test_inspection_limits_are_enforced(monkeypatch: pytest.MonkeyPatch):
    data, card = files()
    with pytest.raises(InvalidInput, match="more than 5 MB: run `python"):
        inspecting.inspected(data + bytes(6 * 2**20), card)
    monkeypatch.setattr(inspecting, "SECONDS", 1)
    with pytest.raises(InvalidInput, match="seconds or 2 GB here: run"):
        inspecting.inspected(data, card)
    monkeypatch.setattr(bounded, "WAIT_SECONDS", 0.01)
    with (
        bounded._turns["ldp_core.inspection.apart"],
        pytest.raises(InvalidInput, match="other uploads just now"),
    ):
        inspecting.inspected(data, card)
    monkeypatch.setenv(OWN_DATA_HOURS.name, "0")
    with pytest.raises(InvalidInput, match="takes no data"):
        inspecting.inspected(data, card)
