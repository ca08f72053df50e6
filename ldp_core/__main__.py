"""`python -m ldp_core`: the command line."""

import sys

from ldp_core.cli import main

sys.exit(main())
