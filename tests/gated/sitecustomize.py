"""On the PYTHONPATH of a server, this puts the gate of tests into the worker that it starts."""

import os
import sys
from pathlib import Path

if "ldp_core.runs.process.worker" in sys.orig_argv:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.gate import install

    install(Path(os.environ["EPSILON_RUNS_DIR"]))
