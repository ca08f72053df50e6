"""Commands typed into interpreters that have what is not ours imported already: each is a fork of one.

`python -m …` takes two seconds to import torch and pytest before it comes to this project.
Nothing of this project is imported before the fork, so a copy of it in another folder is run as such.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

SERVER = r"""
import json, os, runpy, sys, traceback
import numpy, pydantic, pytest, scipy.special, torch

def run(asked):
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    for number, (path, flags) in enumerate([
        (asked["stdin"], os.O_RDONLY), (asked["stdout"], os.O_WRONLY), (asked["stderr"], os.O_WRONLY)
    ]):
        os.dup2(os.open(path, flags), number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
    sys.path[0] = asked["cwd"]
    sys.argv = ["-m", *asked["words"][1:]]
    try:
        runpy.run_module(asked["words"][0], run_name="__main__", alter_sys=True)
        return 0
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    except BaseException:
        traceback.print_exc()
        return 1

print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if not child:
        code = 1
        try:
            code = run(json.loads(line))
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Interpreter:
    """What stands for `python -m`; one command at a time."""

    def __init__(self, folder: Path) -> None:
        """`folder` takes what commands are given and what they print."""
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asked, self._answers = self._process.stdin, self._process.stdout
        assert self._answers.readline() == "ready\n"

    def __enter__(self) -> Interpreter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._asked.close()
        self._answers.close()
        self._process.wait(10)

    def run(
        self, words: Sequence[str], cwd: Path, environment: Mapping[str, str], given: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """`python -m WORDS`, typed in `cwd`, with `given` as standard input."""
        files = {name: self._folder / name for name in ("stdin", "stdout", "stderr")}
        for name, path in files.items():
            path.write_text(given if name == "stdin" else "", encoding="utf-8")
        asked = {name: str(path) for name, path in files.items()}
        asked_all = asked | {"cwd": str(cwd), "environment": dict(environment), "words": list(words)}
        print(json.dumps(asked_all), file=self._asked, flush=True)
        code = int(self._answers.readline())
        told = (files[name].read_text(encoding="utf-8") for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(list(words), code, *told)
