"""Folders of images: found by their ids, read with suspicion, and said to be wrong in one sentence."""

import os
import shutil
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from ldp_core import cli, datasets
from ldp_core.datasets import Step, _pictures
from ldp_core.errors import DataUnavailable, InvalidExperiment
from ldp_core.experiment import parse, plan
from ldp_core.theory.server import server_variance
from tests.datasets import samples

PETS = {"cats": 6, "dogs": 5}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "data"
    place.mkdir()
    monkeypatch.setenv("EPSILON_DATA_DIR", str(place))
    return place


def wrong(name: str) -> str:
    """Why a folder cannot be used, as the message says."""
    with pytest.raises(DataUnavailable) as caught:
        datasets.get(f"images:{name}")
    assert f"images:{name}" not in datasets.names()
    assert str(caught.value) in datasets.registry.unusable()
    with pytest.raises(InvalidExperiment) as refused:
        parse({"dataset": f"images:{name}"})
    assert str(refused.value) == f"dataset cannot be used: {caught.value}"
    return str(caught.value)


@pytest.mark.parametrize("split", [True, False])
def test_a_folder_is_a_data_set_like_any_other(root: Path, split: bool):
    samples.folder(root, "pets", PETS, split)
    assert "images:pets" in datasets.names()
    assert datasets.registry.labels()["images:pets"] == "Images: pets"
    source = datasets.get("images:pets")
    assert source.class_names == ("cats", "dogs")
    assert (source.train_size, source.test_size) == ((11, 11) if split else (9, 2))
    result: list[Step] = []
    data = source.load(root, result.append)
    assert data.train_x.shape == (source.train_size, 3, 32, 32)
    labels = source.train_labels(root)
    assert labels is not None
    assert np.array_equal(labels, data.train_y)
    cats, dogs = (data.train_x[data.train_y == label] for label in (0, 1))
    assert np.abs(cats - np.reshape([0, 0, 0], (1, 3, 1, 1))).max() < 0.02
    assert np.abs(dogs - np.reshape([0, 40 / 255, 1], (1, 3, 1, 1))).max() < 0.02
    experiment = parse({"dataset": "images:pets", "clients": {"count": 3}})
    assert plan(experiment).dimension == 2 * (3 * 32 * 32 + 1)


def test_images_are_cropped_scaled_and_turned_into_colour(root: Path):
    place = samples.folder(root, "pets", PETS)
    wide = samples.image((300, 100), colour="black")
    wide.paste("white", (100, 0, 200, 100))
    wide.save(place / "train/cats/000.jpg")
    samples.image((64, 64), "L", 128).save(place / "train/cats/001.png")
    samples.image((64, 64), "RGBA", (0, 0, 0, 0)).save(place / "train/cats/002.png")
    data = datasets.get("images:pets").load(root)
    assert data.train_x[0].min() > 0.8, "of a wide picture the middle is kept"
    grey = [x for x in data.train_x[data.train_y == 0] if np.abs(x - 128 / 255).max() < 1e-6]
    assert len(grey) == 1
    clear = [x for x in data.train_x[data.train_y == 0] if x.min() == 1]
    assert len(clear) == 1, "what is transparent is white"


def test_other_images_are_another_run(root: Path):
    place = samples.folder(root, "pets", PETS)
    experiment = {"dataset": "images:pets", "clients": {"count": 3}}
    before = plan(parse(experiment)).key
    assert plan(parse(experiment)).key == before
    samples.image(colour="white").save(place / "train" / "cats" / "new.png")
    assert plan(parse(experiment)).key != before
    assert datasets.get("images:pets").train_size == 12
    assert parse({}).as_json()["dataset"] == "digits"


def test_new_class_changes_facts_and_predicted_noise(root: Path):
    place = samples.folder(root, "pets", PETS)

    def facts() -> tuple[int, float]:
        one = parse({"dataset": "images:pets", "clients": {"count": 3, "epsilon_scope": "upload"}})
        return plan(one).spies[0].facts.classes, server_variance(one)

    two, before = facts()
    for part in ("train", "test"):
        shutil.copytree(place / part / "dogs", place / part / "wolves")
    three, after = facts()
    assert (two, three) == (2, 3)
    assert after > before, "more weights share an upload's budget"


@pytest.mark.parametrize("what", ["images:pets", "cats", "000.jpg"])
def test_links_out_of_the_data_folder_are_refused(root: Path, what: str):
    outside = samples.folder(root.parent, "outside", PETS)
    place = samples.folder(root, "pets", PETS)
    if what == "images:pets":
        place.rename(root.parent / "moved")
        place.symlink_to(outside)
    elif what == "cats":
        (place / "train" / "cats").rename(root.parent / "moved")
        (place / "train" / "cats").symlink_to(outside / "train" / "cats")
    else:
        (place / "train" / "cats" / what).unlink()
        (place / "train" / "cats" / what).symlink_to(outside / "train" / "cats" / what)
    assert "is a link that leaves the data folder" in wrong("pets")


def test_a_link_that_appears_later_is_refused_as_well(root: Path):
    place = samples.folder(root, "pets", PETS)
    source = datasets.get("images:pets")
    (root.parent / "secret.png").write_bytes((place / "train/cats/001.png").read_bytes())
    (place / "train/cats/001.png").unlink()
    (place / "train/cats/001.png").symlink_to(root.parent / "secret.png")
    with pytest.raises(DataUnavailable, match="leaves the data folder"):
        source.load(root)


def test_links_within_the_data_folder_are_fine(root: Path):
    samples.folder(root, "pets", PETS)
    (root / "again").symlink_to(root / "pets")
    assert datasets.get("images:again").train_size == 11


def test_folders_that_will_not_do_say_why(root: Path):
    samples.folder(root, "one", {"cats": 3})
    assert "“one” shows “cats” alone; 2 to 1000 kinds are needed" in wrong("one")
    place = samples.folder(root, "other", PETS)
    (place / "test" / "cats").rename(place / "test" / "cows")
    assert "tests on a class “cows” that it does not train on" in wrong("other")
    place = samples.folder(root, "half", PETS)
    shutil.rmtree(place / "train")
    assert "holds test, and no train" in wrong("half")
    (root / "notes").mkdir()
    (root / "notes" / "readme.txt").touch()
    assert "“notes” holds no PNG, JPEG or WebP; put class folders of such images there" in wrong("notes")
    deep = samples.folder(root, "deep", PETS)
    (deep / "train").rename(root / "cut")
    for below in ("a/b/c/cats", "d/b/c/dogs"):
        (deep / below).mkdir(parents=True)
        samples.image().save(deep / below / "1.png")
    shutil.rmtree(deep / "test")
    shutil.rmtree(root / "cut")
    assert "holds its images too deep, in “a/b/c/cats”" in wrong("deep")
    for kept in ("MNIST", "downloads", "covtype", ".hidden"):
        (root / kept).mkdir()
    assert len(datasets.registry.unusable()) == 5, "and nothing of folders that other data sets keep"


def test_folder_without_a_picture_is_named(root: Path):
    samples.folder(root, "pets", PETS | {"wolves": 0}, split=False)
    assert datasets.get("images:pets").class_names == ("cats", "dogs")
    assert "“wolves”" in datasets.get("images:pets").left_out


def test_too_many_images_are_refused(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_pictures, "MOST_IMAGES", 5)
    samples.folder(root, "many", PETS)
    assert "holds more than 5 images; remove some" in wrong("many")


def test_all_damaged_images_are_named_at_once(root: Path, capsys: pytest.CaptureFixture[str]):
    place = samples.folder(root, "pets", PETS)
    bad = ["train/cats/001.png", "train/dogs/001.png", "test/dogs/003.png"]
    for name in bad[1:]:
        (place / name).write_bytes(b"")
    _deep(place / bad[0])
    assert cli.main(["data", "images:pets"]) == 2
    said = capsys.readouterr().err
    with pytest.raises(DataUnavailable) as caught:
        datasets.get("images:pets").load(root)
    for text in (said, str(caught.value)):
        assert "3 images of “pets” will not do (" in text
        assert [name for name in bad if name not in text] == []
    for name in bad:
        (place / name).unlink()
    assert cli.main(["data", "images:pets"]) == 0


def _sixteen(file: Path, colour: int, channels: int) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + struct.pack(f">{channels}H", *[40_000] * channels) * 8) * 8
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 16, colour, 0, 0, 0))
    file.write_bytes(
        b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(("colour", "channels"), [(0, 1), (2, 3), (4, 2), (6, 4)])
def test_more_than_eight_bits_are_refused_of_any_colour(root: Path, colour: int, channels: int):
    place = samples.folder(root, "pets", PETS)
    _sixteen(place / "train" / "cats" / "deep.png", colour, channels)
    with pytest.raises(DataUnavailable, match=r"“pets/train/cats/deep.png” has more than 8 bits a"):
        datasets.get("images:pets").load(root)


def _bomb(file: Path, side: int = 8000) -> None:
    Image.new("1", (side, side)).save(file)


def _text_bomb(file: Path) -> None:
    info: Any = PngInfo()
    info.add_text("x", "y" * 20_000_000, zip=True)
    samples.image().save(file, pnginfo=info)


def _deep(file: Path) -> None:
    samples.image(mode="I;16", colour=9).save(file)


UNREADABLE = "cannot be read as a PNG, JPEG or WebP"
BAD_FILES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "empty": (lambda file: file.write_bytes(b""), UNREADABLE),
    "text": (lambda file: file.write_text("hello"), UNREADABLE),
    "cut": (lambda file: file.write_bytes(file.read_bytes()[:60]), UNREADABLE),
    "bomb": (_bomb, "has 8000 × 8000 pixels, over 50 million"),
    "larger bomb": (lambda file: _bomb(file, 14_000), "has over 50 million pixels"),
    "text bomb": (_text_bomb, UNREADABLE),
    "deep": (_deep, "has more than 8 bits a channel"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_image_is_named_with_a_remedy(root: Path, kind: str):
    place = samples.folder(root, "pets", PETS)
    make, why = BAD_FILES[kind]
    make(place / "train" / "dogs" / "001.png")
    with pytest.raises(DataUnavailable) as caught:
        datasets.get("images:pets").load(root)
    assert str(caught.value).startswith(f"the image “pets/train/dogs/001.png” {why}")


@pytest.fixture
def _unreadable(root: Path) -> Iterator[Path]:
    place = samples.folder(root, "pets", PETS)
    (place / "train").chmod(0)
    yield place
    (place / "train").chmod(0o755)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_folder_is_left_out(_unreadable: Path):
    assert "images:pets" not in datasets.names()


@pytest.mark.parametrize("name", ["my photos", "<b>pets", "esc\x1b[31m"])
def test_folder_with_an_invalid_name_is_reported(root: Path, name: str):
    samples.folder(root, name, PETS)
    samples.folder(root, ".hidden pets", PETS)
    (sentence,) = datasets.registry.unusable()
    assert "has a name that no data set can have; rename it" in sentence
    assert sentence.isprintable()
    assert not [known for known in datasets.names() if known.startswith("images:")]
