"""Stands for a server: a process that launches a job and only lives on, until a test kills it."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs
from ldp_core.runs.process import start
from tests.warm import LINUX, Interpreter, Processes

if __name__ == "__main__":
    place, asked = sys.argv[1:]
    with pytest.MonkeyPatch.context() as patch:
        if LINUX:  # its worker begins warm, as those of tests do
            patch.setattr(start, "subprocess", Processes(Interpreter(Path(place), os.getpid())))
        print(jobs.submit(parse_draft(json.loads(asked))), flush=True)
    time.sleep(60)
