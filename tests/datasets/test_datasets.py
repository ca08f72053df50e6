"""Data sets: real, in [0, 1], with a test set of its own; and a clear word when one is not to be had."""

import os
from pathlib import Path

import numpy as np
import pytest

from ldp_core import datasets
from ldp_core.contract.promises import held, of_dataset
from ldp_core.datasets.digits import places
from ldp_core.datasets.mnist_sample import SHIPPED, SIDE
from ldp_core.errors import DataUnavailable
from ldp_core.streams import stream
from tests.conftest import ROOT
from tests.data import digits
from tests.warm import Interpreter


@pytest.mark.parametrize("name", datasets.names())
def test_facts_of_a_data_set_need_no_loading(name: str):
    source = datasets.get(name)
    next(of_dataset(source)).check()
    assert source.memory == 5 * source.features * (source.train_size + source.test_size)
    assert source.summary.endswith(".")


def test_labels_are_known_without_scikit_learn():
    labels = datasets.get("digits").train_labels(Path("nowhere"))
    assert labels is not None
    assert np.array_equal(labels, digits().train_y)


@pytest.mark.mnist
def test_labels_of_mnist_are_read_from_its_file(mnist_dir: Path):
    labels = datasets.get("mnist").train_labels(mnist_dir)
    assert labels is not None
    assert np.bincount(labels).tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]


def test_digits_are_those_that_scikit_learn_loads():
    from sklearn.datasets import load_digits

    known, (train, test), data = load_digits(), places(), digits()
    for part, x, y in ((train, data.train_x, data.train_y), (test, data.test_x, data.test_y)):
        assert np.array_equal(x, (known.images[part] / 16).astype(np.float32))
        assert np.array_equal(y, known.target[part])


def test_digits():
    held(datasets.get("digits"), digits())
    train = {image.tobytes() for image in digits().train_x}
    shared = sum(image.tobytes() in train for image in digits().test_x)
    assert shared <= 2, "held-out images must not be training images (scikit-learn has a few duplicates)"


@pytest.mark.mnist
def test_mnist(mnist_dir: Path):
    held(datasets.get("mnist"), datasets.get("mnist").load(mnist_dir))


def test_a_sample_of_mnist_ships(tmp_path: Path):
    sample = datasets.get("mnist_sample")
    data = sample.load(tmp_path)
    held(sample, data)
    labels = sample.train_labels(tmp_path)
    assert labels is not None
    assert np.array_equal(labels, data.train_y)
    assert SHIPPED.stat().st_size <= 2e6
    assert not {image.tobytes() for image in data.train_x} & {image.tobytes() for image in data.test_x}


@pytest.mark.mnist
def test_shipped_sample_equals_a_fresh_draw_from_mnist(mnist_dir: Path):
    with np.load(SHIPPED) as shipped:
        for number, (part, name, size) in enumerate((("train", "train", 5000), ("t10k", "test", 1000))):
            files = (
                mnist_dir / "MNIST/raw" / f"{part}-{kind}-ubyte" for kind in ("images-idx3", "labels-idx1")
            )
            x, y = (np.fromfile(file, np.uint8, offset=n) for file, n in zip(files, (16, 8), strict=True))
            chosen = np.sort(stream(0, "holdout", number).permutation(len(y))[:size])
            assert np.array_equal(shipped[f"{name}_x"], x.reshape(-1, SIDE, SIDE)[chosen])
            assert np.array_equal(shipped[f"{name}_y"], y[chosen])


@pytest.mark.parametrize("left", [b"", b"no archive", "half"])
def test_a_damaged_sample_is_a_sentence(left: bytes | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cut = tmp_path / "mnist_sample.npz"
    whole = SHIPPED.read_bytes()
    cut.write_bytes(whole[: len(whole) // 2] if isinstance(left, str) else left)
    monkeypatch.setattr("ldp_core.datasets.mnist_sample.SHIPPED", cut)
    sample = datasets.get("mnist_sample")
    assert sample.train_labels(tmp_path) is None
    with pytest.raises(DataUnavailable, match=r"get assets/data/mnist_sample.npz again"):
        sample.load(tmp_path)


GUARDED = """
import sys
assert "torchvision" not in sys.modules
from ldp_core.datasets._downloaded import load_torchvision
vision = load_torchvision()
import torch
from torchvision.datasets import MNIST
from torchvision.transforms import v2
assert load_torchvision() is vision
print(tuple(v2.Resize((4, 4))(torch.zeros(1, 8, 8)).shape))
"""


def test_torchvision_can_be_used_beside_any_build_of_torch(interpreter: Interpreter, tmp_path: Path):
    """In a process that has not imported it yet, because a failed import leaves traces."""
    (tmp_path / "guarded.py").write_text(GUARDED, encoding="utf-8")
    (tmp_path / "ldp_core").symlink_to(ROOT / "ldp_core")
    done = interpreter.run(["guarded"], tmp_path, os.environ, tmp_path)
    assert done.stdout.strip() == "(1, 4, 4)", done.stderr[-2000:]
