"""Downloads over real sockets: cut, altered, offline, twice at once; and every format once."""

import hashlib
import multiprocessing
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ldp_core import datasets
from ldp_core.contract.promises import held
from ldp_core.datasets import Step, _download
from ldp_core.datasets._download import Failed, Remote, download
from ldp_core.datasets._downloaded import load_torchvision
from ldp_core.errors import DataUnavailable
from ldp_core.settings import DATA_MIRROR
from tests.datasets import samples
from tests.datasets.server import Web, web

BODY = bytes(range(256)) * 40
RIGHT = hashlib.md5(BODY, usedforsecurity=False).hexdigest()


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv(DATA_MIRROR.name, raising=False)


@pytest.fixture
def server() -> Iterator[Web]:
    with web() as one:
        one.files["file.gz"] = BODY
        yield one


def fetch(folder: Path, *urls: str, most: int = 20_000, checksum: str = RIGHT) -> list[int]:
    result: list[int] = []
    download(
        Remote(tuple(f"{url}file.gz" for url in urls), checksum), folder / "file.gz", most, result.append
    )
    assert (folder / "file.gz").read_bytes() == BODY
    assert list(folder.iterdir()) == [folder / "file.gz"], "nothing is left over"
    return result


def nowhere() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/"


def test_a_file_comes_once_with_its_progress(server: Web, tmp_path: Path):
    result = fetch(tmp_path, server.url)
    assert result == sorted(result)
    assert result[-1] == len(BODY)
    fetch(tmp_path, server.url)
    assert len(server.asked) == 1
    fetch_by_sha256 = hashlib.sha256(BODY).hexdigest()
    fetch(tmp_path, server.url, checksum=fetch_by_sha256)


def test_connection_that_is_cut_goes_to_the_next_address(server: Web, tmp_path: Path):
    server.cut = [3000]
    (tmp_path / "file.gz.partial").write_bytes(BODY)
    with pytest.raises(Failed, match="the connection was cut"):
        fetch(tmp_path, server.url)
    assert list(tmp_path.iterdir()) == []
    server.cut = [3000]
    fetch(tmp_path, server.url, server.url)


def test_altered_file_is_rejected_by_checksum(server: Web, tmp_path: Path):
    server.files["file.gz"] = b"X" + BODY[1:]
    with pytest.raises(Failed, match="checksum differs"):
        fetch(tmp_path, server.url)
    assert list(tmp_path.iterdir()) == []
    with web() as honest:
        honest.files["file.gz"] = BODY
        fetch(tmp_path, server.url, honest.url)


def test_a_server_that_sends_far_too_much_is_not_believed(server: Web, tmp_path: Path):
    with pytest.raises(Failed, match="sends"):
        fetch(tmp_path, server.url, most=5000)


def test_every_address_is_tried_the_own_mirror_first(
    server: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    fetch(tmp_path, nowhere(), server.url)
    (tmp_path / "file.gz").unlink()
    with pytest.raises(Failed, match="the server answers 404"):
        fetch(tmp_path, f"{server.url}not-there-")
    remote = Remote((f"{nowhere()}file.gz",), RIGHT)
    assert remote.mirrored("mnist") == remote
    monkeypatch.setenv(DATA_MIRROR.name, server.url)
    mirrored = remote.mirrored("mnist")
    assert mirrored.urls == (f"{server.url}mnist/file.gz", *remote.urls)
    download(mirrored, tmp_path / "file.gz", 20_000, print)


def test_silent_server_and_bad_address_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_download, "SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(Failed, match="silent"):
        fetch(tmp_path, f"http://127.0.0.1:{silent.getsockname()[1]}/")
    with pytest.raises(Failed, match="no web address"):
        fetch(tmp_path, f"file://{tmp_path}/")


def checksum(body: bytes) -> str:
    return hashlib.md5(body, usedforsecurity=False).hexdigest()


@pytest.fixture
def small(server: Web, monkeypatch: pytest.MonkeyPatch) -> Web:
    """Every data set with a few samples, and its addresses on the server; the loaders are the real ones."""
    vision = load_torchvision().datasets
    for name, kind in (("mnist", vision.MNIST), ("fashion_mnist", vision.FashionMNIST)):
        files = samples.mnist(60, 20)
        server.files |= files
        monkeypatch.setattr(kind, "mirrors", [nowhere(), server.url])
        monkeypatch.setattr(kind, "resources", [(file, checksum(body)) for file, body in files.items()])
        resize(monkeypatch, name, 60, 20)
    archive, files = samples.cifar10(10)
    server.files["cifar-10-python.tar.gz"] = archive
    kind = vision.CIFAR10
    monkeypatch.setattr(kind, "url", f"{server.url}cifar-10-python.tar.gz")
    monkeypatch.setattr(kind, "tgz_md5", checksum(archive))
    for part in (kind.train_list, kind.test_list):
        monkeypatch.setattr(
            kind,
            "train_list" if part is kind.train_list else "test_list",
            [[file, checksum(files[file])] for file, _ in part],
        )
    monkeypatch.setattr(kind, "meta", kind.meta | {"md5": checksum(files["batches.meta"])})
    resize(monkeypatch, "cifar10", 50, 10)
    from sklearn.datasets import _covtype

    from ldp_core.datasets import covtype

    body = samples.covtype(100)
    server.files["covtype.data.gz"] = server.files["5976039"] = body
    monkeypatch.setattr(covtype, "UCI", f"{server.url}covtype.data.gz")
    known = _covtype.ARCHIVE._replace(url=f"{server.url}5976039", checksum=hashlib.sha256(body).hexdigest())
    monkeypatch.setattr(_covtype, "ARCHIVE", known)
    resize(monkeypatch, "covtype", 70, 30)
    return server


def resize(monkeypatch: pytest.MonkeyPatch, name: str, train: int, test: int) -> None:
    kind: Any = datasets.registry.kind(name)
    monkeypatch.setattr(kind, "train_size", train)
    monkeypatch.setattr(kind, "test_size", test)


FETCHED = [name for name in datasets.names() if datasets.get(name).download]


@pytest.mark.parametrize("name", FETCHED)
def test_each_is_fetched_unpacked_and_read_by_the_real_loader(name: str, small: Web, tmp_path: Path):
    source = datasets.get(name)
    assert not source.there(tmp_path)
    assert source.train_labels(tmp_path) is None
    result: list[Step] = []
    data = source.load(tmp_path, result.append)
    held(source, data)
    labels = source.train_labels(tmp_path)
    assert labels is not None
    assert np.array_equal(labels, data.train_y)
    if not source.images:
        assert data.train_x[:, :10].mean(0) == pytest.approx(0, abs=1e-5)
        assert data.train_x[:, :10].std(0) == pytest.approx(1, abs=1e-5)
        assert set(np.unique(data.train_x[:, 10:])) == {0, 1}
    steps = list(dict.fromkeys(step.doing for step in result))
    assert steps == [f"Downloading {source.label}", f"Unpacking {source.label}"]
    assert all(0 <= step.share <= 1 for step in result)
    asked = len(small.asked)
    again = source.load(tmp_path)
    assert np.array_equal(again.train_x, data.train_x)
    assert len(small.asked) == asked, "it is fetched once"
    left = [file.name for file in (tmp_path / "downloads").rglob("*") if file.is_file()]
    assert left in ([], ["lock"])


@pytest.mark.parametrize("name", FETCHED)
def test_damaged_files_are_named_with_a_remedy(name: str, small: Web, tmp_path: Path):
    source = datasets.get(name)
    source.load(tmp_path)
    largest = max((tmp_path / source.files).iterdir(), key=lambda file: file.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-5])
    with pytest.raises(DataUnavailable, match=f"remove {source.files} from the data folder and launch again"):
        source.load(tmp_path)


@pytest.mark.parametrize("name", ["mnist", "fashion_mnist"])
def test_idx_files_need_no_torchvision_and_a_sound_header(
    name: str, small: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    source = datasets.get(name)
    first = source.load(tmp_path)
    monkeypatch.setattr(type(source), "source", lambda self: pytest.fail("torchvision is imported"))
    assert np.array_equal(source.load(tmp_path).train_x, first.train_x)
    file = tmp_path / source.files / "t10k-labels-idx1-ubyte"
    file.write_bytes(bytes([0, 0, 8, 2]) + file.read_bytes()[4:])
    with pytest.raises(DataUnavailable, match="cut short, or changed"):
        source.load(tmp_path)


def test_unknown_pickle_is_never_opened(small: Web, tmp_path: Path):
    import os
    import pickle

    source = datasets.get("cifar10")
    source.load(tmp_path)

    class Canary:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "sung"),)

    for file in (tmp_path / source.files).glob("*batch*"):
        file.write_bytes(pickle.dumps(Canary()))
    with pytest.raises(DataUnavailable, match="cannot be read"):
        source.load(tmp_path)
    assert not (tmp_path / "sung").exists()


def test_offline_there_is_one_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(load_torchvision().datasets.MNIST, "mirrors", [dead := nowhere()])
    asked = f"{dead}train-images-idx3-ubyte.gz"
    with pytest.raises(DataUnavailable) as caught:
        datasets.get("mnist").load(tmp_path)
    assert str(caught.value) == (
        f"MNIST (28×28) is not on this machine and cannot be downloaded ({asked}: connection refused); "
        "connect to the internet and launch again, put its files in MNIST/raw of the "
        "data folder, or choose the digits, which need no download"
    )


def test_unwritable_data_folder_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(DataUnavailable, match=r"cannot be written .* EPSILON_DATA_DIR"):
        datasets.get("covtype").load(tmp_path / "file")


def test_a_disk_without_room_is_named_before_anything_comes(
    small: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1_000_000))
    with pytest.raises(DataUnavailable, match=r"needs 81 MB on the disk .* and 1 MB are free"):
        datasets.get("mnist").load(tmp_path)
    assert small.asked == []


def _load(root: Path) -> None:
    datasets.get("mnist").fetch(root)


def test_two_jobs_at_once_download_once(small: Web, tmp_path: Path):
    small.pause = 0.01
    context = multiprocessing.get_context("fork")
    jobs = [context.Process(target=_load, args=(tmp_path,)) for _ in range(2)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(150)
    assert [job.exitcode for job in jobs] == [0, 0]
    assert len(small.asked) == 4
    assert datasets.get("mnist").there(tmp_path)
