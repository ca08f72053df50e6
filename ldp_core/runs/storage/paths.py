"""Folders of data and runs: `EPSILON_DATA_DIR` and `EPSILON_RUNS_DIR`, else the platform's for user data."""

import errno
from pathlib import Path

from ldp_core.datasets import data_dir as data_dir
from ldp_core.errors import FolderGone, ReadOnly, StorageFailed
from ldp_core.system.data_folder import runs_place

_bound = list[tuple[int, int]]()
"""Device and inode of the folder that this process is bound to, if it is."""


def bind() -> None:
    """Bind this process and its forks to the present folder of runs: if it is deleted, they make no other."""
    found = runs_dir().stat()
    _bound[:] = [(found.st_dev, found.st_ino)]


def runs_dir() -> Path:
    """Folder of runs, made if missing, or StorageFailed; FolderGone if it is not that which is bound."""
    folder = runs_place()
    try:
        if not _bound and not folder.is_dir():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError as error:
        if _bound and isinstance(error, FileNotFoundError):
            raise FolderGone from None
        if _bound:  # unknown now
            return folder
        if error.errno == errno.EROFS:
            raise ReadOnly from None
        raise StorageFailed(
            f"the folder of runs cannot be made ({error.strerror}); name another one in EPSILON_RUNS_DIR"
        ) from None
    if _bound and (found.st_dev, found.st_ino) not in _bound:
        raise FolderGone
    return folder
