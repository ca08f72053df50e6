"""Folders of data sets and of runs: `EPSILON_DATA_DIR`, `EPSILON_RUNS_DIR`, or the platform's own."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from platformdirs import user_data_path

from ldp_core.errors import InvalidInput
from ldp_core.settings import DATA_DIR, RUNS_DIR

APP = "epsilon-studio"


def data_dir() -> Path:
    """Folder of downloaded data sets and of folders of images; created by the first download."""
    return DATA_DIR.value() or user_data_path(APP) / "data"


def runs_place() -> Path:
    """Folder of runs, whether it exists or not."""
    return RUNS_DIR.value() or user_data_path(APP) / "runs"


def keep_private() -> None:
    """Let what this process writes be read by its user alone; by the group too where that may write in the
    folder of runs, as a lab makes one that shares it (chmod 2770).
    """
    shared = False
    with suppress(InvalidInput, OSError):  # which is refused, or made, later
        shared = bool(runs_place().stat().st_mode & stat.S_IWGRP)
    os.umask(0o007 if shared else 0o077)


def own_dir() -> Path:
    """Folder of visitors' uploaded data, with a subfolder for each private room; below the folder of runs."""
    return runs_place() / "own"
