"""The files of the folder that EPSILON_PARTS_DIR names, as modules of this package.

Every process finds them so, and objects of their classes can be sent from one to another. They lie there as
here: `mechanisms/NAME.py` and so on.
"""

import os

from ldp_core.settings.table import PARTS_DIR

__path__ = []
if (_place := PARTS_DIR.value()) is not None:
    os.environ[PARTS_DIR.name] = str(_place)  # processes that are started from here have folders of their own
    __path__ = [str(_place)]
