"""The files of the folder EPSILON_PARTS_DIR, as modules of this package.

Every process finds them under the same names, so objects of their classes can be pickled. The layout is that
of `ldp_core`: `mechanisms/NAME.py` and so on; a paper's folder `papers/NAME` may hold such parts too.
"""

import os
from contextlib import suppress

from ldp_core.errors import InvalidInput
from ldp_core.settings import PARTS_DIR

__path__ = []
with suppress(InvalidInput):  # every command refuses nonsense before it does anything
    if (_place := PARTS_DIR.value()) is not None:
        os.environ[PARTS_DIR.name] = str(_place)  # processes that are started from here have other folders
        __path__ = [str(_place), *(str(one) for one in sorted(_place.glob("papers/*")) if one.is_dir())]
