"""Folder of data sets: `EPSILON_DATA_DIR`, or the platform's own."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_data_path

from ldp_core.settings.table import DATA_DIR, RUNS_DIR

APP = "epsilon-studio"


def data_dir() -> Path:
    """Folder of downloaded data sets and of folders of images; created by the first download."""
    return DATA_DIR.value() or user_data_path(APP) / "data"


def own_dir() -> Path:
    """The folder with a room for each visitor's own data, below the folder of runs."""
    return (RUNS_DIR.value() or user_data_path(APP) / "runs") / "own"


def title_of(root: Path, identity: str) -> str:
    """What a visitor's own data were called when they came; their name where no title lies beside them."""
    try:
        return (root / f"{identity}.title").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return identity
