"""Where data sets live on this machine: the folder that `EPSILON_DATA_DIR` names, or the platform's own."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_data_path

from ldp_core.settings.table import DATA_DIR

APP = "epsilon-studio"


def data_dir() -> Path:
    """The folder of downloaded data sets and of folders of images (made by the first download)."""
    return DATA_DIR.value() or user_data_path(APP) / "data"
