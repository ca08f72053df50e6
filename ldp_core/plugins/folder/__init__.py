"""The files of the folder EPSILON_PARTS_DIR, as modules of this package.

Every process finds them under the same names, so objects of their classes can be pickled. The layout is that
of `ldp_core`: `mechanisms/NAME.py` and so on.
"""

import os

from ldp_core.settings.table import PARTS_DIR

__path__ = []
if (_place := PARTS_DIR.value()) is not None:
    os.environ[PARTS_DIR.name] = str(_place)  # processes that are started from here have folders of their own
    __path__ = [str(_place)]
