"""Paths of files shipped with the code: `app.py`, `pages`, `assets`, the pins.

An installation has them in its folder `epsilon_studio`, to keep such general names out of site-packages; the
source tree has them at its top.
"""

from importlib.resources import files
from pathlib import Path

PACKAGE = Path(str(files("ldp_core")))
_BESIDE = PACKAGE.parent
_INSTALLED = _BESIDE / "epsilon_studio"
SHIPPED = _INSTALLED if _INSTALLED.is_dir() else _BESIDE
ASSETS = SHIPPED / "assets"
APP = SHIPPED / "app.py"
CONFIG = SHIPPED / ".streamlit" / "config.toml"
