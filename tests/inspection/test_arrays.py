"""Files that are no upload: one sentence each, nothing in them runs, and little memory is taken."""

import io
import json
import struct
import tracemalloc
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
import pytest

import ldp_core
from ldp_core.errors import StudioError
from ldp_core.inspection.arrays import read_arrays
from ldp_core.inspection.upload_card import read_card
from tests.inspection.made import upload

ROUNDS = 300
SLACK = 1_500_000
"""Bytes that reading any file at all may take: zlib's window, and numpy's parser."""


class Evil:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return Path.touch, (self.file,)


def npy(shape: str = "(2, 3)", kind: str = "'<f4'", body: bytes = b"\0" * 24) -> bytes:
    header = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + body


def packed(entries: dict[str, bytes], how: int = ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), ZipFile(out, "w", how) as archive:
        warnings.simplefilter("ignore")  # of a name that is there twice
        for name, content in entries.items():
            archive.writestr(name.removesuffix("!"), content)
    return out.getvalue()


SIDES = ["(2, 3)", "(-2, 3)", "(10**9, 10**9)", "(9999999999,)", "()", "(1,)*40", "(2.5,)", "'x'", "(2, 3"]
SIDES += ["__import__('os')"]
KINDS = [
    "'<f4'",
    "'|O'",
    "'<U9'",
    "'|V8'",
    "[('a', '<f4')]",
    "'<c8'",
    "'<M8[s]'",
    "'?'",
    "'<f2'",
    "'no'",
    "{}",
]


def damaged() -> Iterator[bytes]:
    draw = np.random.default_rng(11)
    good = io.BytesIO()
    np.savez(good, **upload()[0])
    whole = good.getvalue()
    for how in range(ROUNDS):
        body = npy(str(draw.choice(SIDES)), str(draw.choice(KINDS)), draw.bytes(int(draw.integers(0, 60))))
        match how % 5:
            case 0:  # bytes changed
                found = bytearray(whole)
                for at in draw.integers(0, len(found), 1 + int(draw.integers(0, 20))):
                    found[at] = int(draw.integers(0, 256))
                yield bytes(found)
            case 1:  # cut, or with a piece left out
                a, b = sorted(draw.integers(0, len(whole), 2))
                yield whole[:a] + (whole[b:] if how % 2 else b"")
            case 2:  # headers that say what is not so
                yield packed({"before/a.npy": body})
            case 3:  # other content
                parts = {f"before/{n}.npy": draw.bytes(int(draw.integers(0, 200))) for n in range(3)}
                yield packed(parts, ZIP_STORED)
            case 4:  # its directory changed
                at = whole.rindex(b"PK\1\2") + int(draw.integers(0, 60))
                yield whole[:at] + draw.bytes(4) + whole[at + 4 :]


def unpacked(data: bytes) -> int:
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            return sum(min(entry.file_size, 10**7) for entry in archive.infolist())
    except Exception:
        return len(data)


def taken(data: bytes) -> tuple[bool, int]:
    """Whether it was read, and the most memory that took."""
    tracemalloc.start()
    try:
        read_arrays(data)
        read = True
    except StudioError as error:
        read = False
        assert len(str(error)) < 400 and "\n" not in str(error)
    finally:
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return read, most


def test_damaged_uploads_stay_within_memory():
    read, card = 0, upload()[1]
    for data in damaged():
        came, most = taken(data)
        read += came
        assert most <= 3 * max(unpacked(data), len(data)) + SLACK
        with np.errstate(all="ignore"), suppress(StudioError):
            assert ldp_core.inspect(data, card)["verdict"]
    assert read < ROUNDS / 5, "most of what is made here can be read: nothing was tried"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no npz file"),
        (b"PK\5\6" + b"\0" * 18, ""),
        (packed({"before/a.npy": npy(kind="'|O'")}), "pickle"),
        (packed({"before/a.npy": npy(kind="'<U9'")}), "numbers are asked for"),
        (packed({"before/a.npy": npy("(10**9,)")}), "damaged"),
        (packed({"before/a.npy": npy("(1000, 1000)")}), "holds fewer"),
        (packed({"before/a.npy": npy(), "before/a.npy!": npy()}), "there twice"),
        (packed({"readme.txt": b"hello"}), "is no array"),
        (packed({"before/a.npy": npy()}, ZIP_BZIP2), "packed in a way"),
        (packed({f"before/{n}.npy": b"" for n in range(2500)}), "arrays"),
        (packed({f"before/{n:05}.npy": b"" for n in range(12000)}), "more than 2000 arrays"),
    ],
)
def test_each_kind_of_bad_file_has_its_sentence(data: bytes, words: str):
    if words:
        with pytest.raises(StudioError, match=words):
            read_arrays(data)
    else:
        assert read_arrays(data) == {}


def test_a_pickle_inside_is_not_run(tmp_path: Path):
    file = tmp_path / "upload.npz"
    np.savez(file, np.array([Evil(tmp_path / "run")], dtype=object))
    with pytest.raises(StudioError, match="pickle"):
        read_arrays(file)
    assert not (tmp_path / "run").exists()


def test_compressed_bomb_is_refused_before_unpacking():
    bomb = packed({"before/a.npy": npy("(10000000,)", body=bytes(4 * 10**7))})
    tracemalloc.start()
    with pytest.raises(StudioError, match=r"40\.0 MB, and at most 2000 of 5 MB"):
        read_arrays(bomb, most=5_000_000)
    assert tracemalloc.get_traced_memory()[1] < SLACK
    tracemalloc.stop()


def test_numbers_of_any_size_end_in_a_verdict():
    draw = np.random.default_rng(3)
    for _ in range(60):
        arrays, card = upload()
        scale = 10.0 ** draw.integers(-45, 310)
        wild = {name: one * scale if draw.random() < 0.5 else one * 0 for name, one in arrays.items()}
        kinds = {name: str(draw.choice(["f2", "f4", "f8"])) for name in wild}
        with np.errstate(all="ignore"):
            found = ldp_core.inspect({name: one.astype(kinds[name]) for name, one in wild.items()}, card)
        json.dumps(found, allow_nan=False)
        assert found["verdict"] in ("comes back", "an assumption fails", "cannot tell", "does not come back")


def test_any_json_is_a_card_or_a_sentence(tmp_path: Path):
    draw, file = np.random.default_rng(5), tmp_path / "card.json"
    values = ["null", "-1", "0", "1e400", "NaN", "true", '"x"', "[]", "{}", "[[[]]]", '{"name": 3}']
    values += ['{"layers": [1]}', "1" * 400]
    names = ["model", "shape", "classes", "sent", "steps", "batch", "learning_rate", "optimizer", "clipped"]
    names += ["norm", "mechanism", "epsilon", "mean", "deviation", "dataset", "else"]
    taken_up = 0
    for _ in range(ROUNDS):
        chosen = draw.choice(names, 1 + int(draw.integers(0, 4)))
        some = {str(name): str(draw.choice(values)) for name in chosen}
        usual = {"model": '"mlp"', "shape": "[8, 8]", "classes": "10", "learning_rate": "1"}
        file.write_text("{" + ", ".join(f'"{name}": {one}' for name, one in (usual | some).items()) + "}")
        try:
            read_card(file)
            taken_up += 1
        except StudioError as error:
            assert str(error)
    assert 0 < taken_up < ROUNDS / 2
    for text in ("", "[", "3", "[" * 100000, '{"model": 1, "model": 2}', "x" * 200_000):
        file.write_text(text)
        with pytest.raises(StudioError):
            read_card(file)
