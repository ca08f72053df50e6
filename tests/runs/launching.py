"""Stands for a server: a process that launches a job and only lives on, until a test kills it."""

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs
from ldp_core.runs.process import start
from tests.conftest import ROOT
from tests.warm import LINUX, Interpreter, Processes


def launched_elsewhere(
    interpreter: Interpreter, experiment: Mapping[str, Any], folder: Path
) -> tuple[psutil.Process, str]:
    """The process, and its job."""
    words = ["tests.runs.launching", str(interpreter.place), json.dumps(experiment)]
    process, printed = interpreter.piped(words, ROOT, os.environ, folder)
    with printed:
        return process, printed.readline().strip()


if __name__ == "__main__":
    place, asked = sys.argv[1:]
    with pytest.MonkeyPatch.context() as patch:
        if LINUX:  # its worker begins warm, as those of tests do
            patch.setattr(start, "subprocess", Processes(Interpreter(Path(place), os.getpid())))
        print(jobs.submit(parse_draft(json.loads(asked))), flush=True)
    time.sleep(60)
