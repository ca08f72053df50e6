"""Where the files lie that come with the code: `app.py`, `pages`, `assets`, the list of pins.

An installation has them in its folder `epsilon_studio`, so that nothing of such a general name lies beside
other packages; the source tree has them at its top.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

PACKAGE = Path(str(files("ldp_core")))
_BESIDE = PACKAGE.parent
_INSTALLED = _BESIDE / "epsilon_studio"
SHIPPED = _INSTALLED if _INSTALLED.is_dir() else _BESIDE
ASSETS = SHIPPED / "assets"
APP = SHIPPED / "app.py"
PINS = SHIPPED / "requirements.txt"
CONFIG = SHIPPED / ".streamlit" / "config.toml"
