"""Folder of data sets: `EPSILON_DATA_DIR`, or the platform's own."""

from pathlib import Path

from platformdirs import user_data_path

from ldp_core.settings.table import DATA_DIR, RUNS_DIR

APP = "epsilon-studio"


def data_dir() -> Path:
    """Folder of downloaded data sets and of folders of images; created by the first download."""
    return DATA_DIR.value() or user_data_path(APP) / "data"


def own_dir() -> Path:
    """Folder of visitors' uploaded data, with a subfolder for each private room; below the folder of runs."""
    return (RUNS_DIR.value() or user_data_path(APP) / "runs") / "own"


def title_of(root: Path, identity: str) -> str:
    """Title of a visitor's data set: the name of the uploaded file; the data set's name if none is stored."""
    try:
        return (root / f"{identity}.title").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return identity
