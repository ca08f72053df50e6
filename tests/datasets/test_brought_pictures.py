"""Folders and ZIPs of pictures that people bring: read as they are meant, or asked about."""

import io
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from PIL import Image

from ldp_core.datasets import Card, _brought
from ldp_core.errors import InvalidInput
from tests.datasets.test_cases import CASES, asked, folder, look

__all__ = ["folder"]


def picture(colour: int, kind: str = "PNG", size: tuple[int, int] = (16, 12)) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, (colour, 90, 0)).save(made, kind)
    return made.getvalue()


def files(*folders: str, count: int = 5) -> dict[str, bytes]:
    return {f"{place}/{n}.png": picture(40 * i + n) for i, place in enumerate(folders) for n in range(count)}


def zipped(these: Mapping[str, bytes], slash: str = "/") -> dict[str, bytes]:
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        for path, data in these.items():
            archive.writestr(path.replace("/", slash), data)
    return {"drop.zip": made.getvalue()}


PARTS = [f"{part}/{kind}" for part in ("train", "valid", "test") for kind in ("cats", "dogs")]
SPLIT = [f"{kind}{sep}{part}" for kind in ("cats", "dogs") for sep in "/_" for part in ("train", "test")]
LAYOUTS: dict[str, tuple[dict[str, bytes], set[str], tuple[int, int], int]] = {
    "class folders": (files("pets/cats", "pets/dogs"), set(), (8, 2), 0),
    "train and test": (files("train/cats", "train/dogs", "test/cats", "test/dogs"), set(), (10, 10), 0),
    "parts in classes": (files(*(one for one in SPLIT if "/" in one)), set(), (10, 10), 0),
    "parts in names": (files(*(one for one in SPLIT if "_" in one)), set(), (10, 10), 0),
    "as MNIST": (files("training/0", "training/1", "testing/0", "testing/1"), set(), (10, 10), 0),
    "train, valid and test": (files(*PARTS), {"held_out"}, (10, 10), 0),
    "clients": (files("alice/cats", "alice/dogs", "bob/cats", "bob/dogs"), {"folders"}, (16, 4), 2),
    "other kinds": (files("cats", "dogs") | {"cats/IMG_1.HEIC": b"x", "dogs/a.gif": b"y"}, set(), (8, 2), 0),
    "labels": (files("train/a", "train/b", "test/a", "test/b") | {"l.csv": b"a,b\n"}, set(), (10, 10), 0),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_folder_and_zip_of_pictures_are_read_alike(folder: Path, layout: str):
    these, questions, sizes, clients = LAYOUTS[layout]
    for path, data in these.items():
        (place := folder / "drop" / path).parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    found = look(folder, "images:drop")
    assert asked(found) == questions
    made = look(folder, "images:drop", found.seen.taken().as_json()).trains
    assert ((made.train_size, made.test_size), made.clients) == (sizes, clients)
    for slash in ("/", "\\"):
        about, arrays = _brought._of_files(zipped(these, slash))
        assert about["seen"]["questions"] == found.seen.questions
        assert about["seen"]["notes"] == found.seen.notes
        assert tuple(about["found"]["classes"]) == made.class_names
        read = made().load(folder)
        x = arrays["x"][arrays["order"]] / np.float32(255)
        assert np.array_equal(x[: made.train_size], read.train_x)
    if others := [path for path in these if not path.endswith(".png")]:
        endings = {Path(path).suffix.lower() for path in others}
        assert all(any(one in note for note in found.seen.notes) for one in endings)


def test_answer_chooses_what_is_held_out_and_whose_pictures(folder: Path):
    about, arrays = _brought._of_files(zipped(files(*PARTS)))
    again, _ = _brought._of_pictures(about["paths"], arrays["x"], Card(held_out="a fifth"))
    assert again["found"]["train"] == 8
    about, arrays = _brought._of_files(zipped(files("alice/cats", "alice/dogs", "bob/cats", "bob/dogs")))
    again, _ = _brought._of_pictures(about["paths"], arrays["x"], Card(folders="class"))
    assert list(again["found"]["classes"]) == ["alice", "bob"]


def test_zip_with_a_table_is_that_table(folder: Path):
    about, arrays = _brought._of_files(zipped({"data/x.csv": (CASES / "comments.csv").read_bytes()}))
    assert about["found"]["target"] == "label" and len(arrays["x"]) == 78
    with pytest.raises(InvalidInput, match="2 tables"):
        _brought._of_files(zipped({"x.csv": b"a,b\n", "y.csv": b"a,b\n"}))


def test_images_beside_annotations_are_refused_by_name(folder: Path):
    these = {"images/1.png": picture(1), "images/2.png": picture(2), "annotations/all.json": b"{}"}
    with pytest.raises(InvalidInput, match="“images” alone"):
        _brought._of_files(zipped(these))


def test_folders_for_kinds_of_files_are_no_classes():
    with pytest.raises(InvalidInput, match="masks"):
        _brought._of_files(zipped(files("set/images", "set/masks")))
