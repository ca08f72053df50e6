"""Data in the browser: who holds what, and a download that is watched and stopped."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import queue
from tests.browser.conftest import TRAINING, Visitor, choose, press
from tests.browser.server import Server, begun_warm
from tests.datasets import samples
from tests.datasets.server import web
from tests.warm import Interpreter

FILE = "train-images-idx3-ubyte.gz"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("data")
    samples.folder(place / "data", "pets", {"cats": 6, "dogs": 5})
    samples.folder(place / "data", "alone", {"cats": 6})
    with pytest.MonkeyPatch.context() as patch, web() as mirror:
        mirror.files[FILE] = bytes(9_000_000)
        mirror.slow_from = 3_000_000
        patch.setenv("EPSILON_DATA_DIR", str(place / "data"))
        patch.setenv("EPSILON_DATA_MIRROR", mirror.url)
        patch.setenv("no_proxy", "127.0.0.1,localhost")
        with Server(begun_warm(place / "runs", interpreter)) as running:
            yield running


def test_partition_chart_and_stopped_download_are_shown(visitor: Visitor):
    page = visitor.open("/clients", "text=Who holds what?")
    chart = page.get_by_role("img", name=re.compile("Training samples of each class"))
    expect(chart).to_be_visible()

    data = page.get_by_role("combobox", name=re.compile("^(Selected .*)?Data$|Data")).first
    choose(data, "Images: pets")
    expect(page.get_by_text("must be at most 11, the training samples of ")).to_be_visible()
    choose(data, "MNIST (28×28)")
    expect(page.get_by_text("downloads 11.6 MB")).to_be_visible()
    page.get_by_role("link", name="Train").click()
    press(page, "Train")
    coming = page.get_by_text(re.compile(r"Downloading MNIST \(28×28\): \d+\.\d of 11\.6 MB"))
    expect(coming).to_be_visible(timeout=TRAINING)  # the worker starts, and imports torchvision
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped at round 0")).to_be_visible()


def test_run_with_missing_images_shows_the_reason(
    visitor: Visitor, server: Server, monkeypatch: pytest.MonkeyPatch
):
    place = server.runs_dir.parent / "data"
    monkeypatch.setenv("EPSILON_DATA_DIR", str(place))
    samples.folder(place, "short", {"cats": 6, "dogs": 5})
    draft = Draft(parse({"dataset": "images:short", "clients": {"count": 2}}), (Variant("run"),))
    (place / "short").rename(place / "gone")  # first: the server's worker may take the job at once
    identity = queue.add("run", {"draft": draft.as_json()}, None, None)
    page = visitor.open(f"/train?job={identity}", "text=This run cannot be shown")
    expect(page.get_by_text("got “images:short”")).to_be_visible()
