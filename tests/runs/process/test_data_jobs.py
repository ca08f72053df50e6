"""Jobs that fetch their data first, and uploads that are looked at in a process of their own."""

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core.errors import InvalidInput, StudioError
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.inspection import apart
from ldp_core.runs import inspecting, jobs
from ldp_core.runs.kinds import JobEnd
from ldp_core.runs.record.time_left import how_far
from ldp_core.settings import OWN_DATA_HOURS
from ldp_core.system import bounded
from tests.datasets import samples
from tests.datasets.server import web
from tests.datasets.test_download import _direct, checksum, resize
from tests.inspection.made import upload
from tests.runs.in_process import queued
from tests.runs.processes import Trained, ended, launch, until

__all__ = ["_direct"]

pytestmark = pytest.mark.usefixtures("clean_processes")

FILE = "train-images-idx3-ubyte.gz"
MNIST = {"dataset": "mnist", "rounds": 1, "attack": None}


def test_download_is_watched_stopped_and_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path / "data"))
    with web() as server:
        monkeypatch.setenv("EPSILON_DATA_MIRROR", server.url)
        server.files[FILE] = bytes(9_000_000)
        server.slow_from = 2_000_000
        identity = launch(MNIST)
        until(identity, lambda job: (far := how_far(job)) and far.step.done > 50_000)
        status = jobs.status(identity)
        assert status["status"] == "running"
        assert re.fullmatch(r"Downloading MNIST \(28×28\): \d+\.\d of 11\.6 MB", status["doing"])
        jobs.cancel(identity)
        job = ended(identity)
        assert job.status == "cancelled"
        assert jobs.status(identity)["doing"] == ""
        jobs.resume(identity)
        until(identity, lambda job: len(server.asked) > 1)
        assert server.asked == [FILE, FILE]
        jobs.cancel(identity)
        ended(identity)


def train(changes: dict[str, Any]) -> JobEnd:
    """What becomes of a job in a process of its own that shares what this test has put in place."""
    return Trained(queued(Draft(parse(changes), (Variant("run"),)))).outcome()


def test_a_job_fetches_its_data_and_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from ldp_core.datasets._downloaded import load_torchvision

    monkeypatch.setenv("EPSILON_DATA_DIR", str(tmp_path / "data"))
    kind, files = load_torchvision().datasets.MNIST, samples.mnist(60, 20)
    monkeypatch.setattr(kind, "resources", [(file, checksum(body)) for file, body in files.items()])
    resize(monkeypatch, "mnist", 60, 20)
    with web() as server:
        server.files |= files
        monkeypatch.setattr(kind, "mirrors", [server.url])
        assert train(MNIST) == JobEnd()


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
