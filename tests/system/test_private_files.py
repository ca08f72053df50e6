"""What another user could have written is not read, and nothing is put where another user can write."""

import os
import stat
from pathlib import Path

import pytest

from ldp_core.system import private_files

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
STRANGER = 65534


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    file = tmp_path / "cache" / "kernels" / "one.o"
    before = os.umask(0)
    try:
        private_files.write(file, b"first")
    finally:
        os.umask(before)
    return file


def test_written_file_is_private_and_readable(kept: Path):
    assert private_files.read(kept) == b"first"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert {stat.S_IMODE(one.stat().st_mode) for one in list(kept.parents)[:2]} == {0o700}
    private_files.write(kept, b"second")
    assert private_files.read(kept) == b"second"
    assert [one.name for one in kept.parent.iterdir()] == ["one.o"]


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_file_writable_by_others_is_not_read(kept: Path, mode: int):
    kept.chmod(mode)
    assert private_files.read(kept) is None


@pytest.mark.parametrize("above", [0, 1])
@pytest.mark.parametrize("mode", [0o770, 0o703, 0o777])
def test_folder_writable_by_others_is_refused(kept: Path, above: int, mode: int):
    place = kept.parents[above]
    place.chmod(mode)
    assert private_files.open_to_others(kept.parent) == f"other users can write to {place}"
    assert private_files.read(kept) is None
    private_files.write(kept, b"second")
    assert kept.read_bytes() == b"first"


def test_sticky_folder_is_allowed_above_only(kept: Path):
    kept.parents[1].chmod(0o1777)
    assert private_files.read(kept) == b"first"
    kept.parent.chmod(0o1777)
    assert private_files.read(kept) is None


@pytest.mark.skipif("os.geteuid() != 0", reason="only root gives files away")
@pytest.mark.parametrize("above", [None, 0, 1])
def test_file_of_another_user_is_not_read(kept: Path, above: int | None):
    os.chown(kept if above is None else kept.parents[above], STRANGER, STRANGER)
    assert private_files.read(kept) is None


def test_links_count_for_where_they_lead(kept: Path, tmp_path: Path):
    (kept.parent / "link.o").symlink_to(kept)
    assert private_files.read(kept.parent / "link.o") is None
    (tmp_path / "way").symlink_to(kept.parent)
    assert private_files.read(tmp_path / "way" / kept.name) == b"first"
    kept.parents[1].chmod(0o777)
    assert private_files.read(tmp_path / "way" / kept.name) is None


def test_missing_or_special_file_is_not_read(kept: Path):
    os.mkfifo(kept.parent / "pipe.o")
    assert private_files.read(kept.parent / "pipe.o") is None
    assert private_files.read(kept.parent) is None
    assert private_files.read(kept.parent / "none.o") is None
