"""Where data and runs live on this machine.

`EPSILON_DATA_DIR` and `EPSILON_RUNS_DIR` name the folders; by default they lie in the platform's
own folder for user data.
"""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

from ldp_core.datasets import APP
from ldp_core.datasets import data_dir as data_dir
from ldp_core.errors import StorageFailed


def runs_dir() -> Path:
    """The folder of the queue, the drafts and the runs; made if it is not there."""
    folder = Path(os.environ.get("EPSILON_RUNS_DIR") or user_data_path(APP) / "runs")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageFailed(
            f"the folder of runs cannot be made ({error.strerror}); name another one in EPSILON_RUNS_DIR"
        ) from None
    return folder.resolve()
