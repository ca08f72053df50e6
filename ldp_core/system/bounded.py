"""Reading of what strangers send, in a process of its own with limits on memory and time: `answer` asks for
`MODULE.main(question, files)` in `python -m ldp_core.system.bounded MODULE MEMORY SECONDS`.

Stdin and stdout are a line of JSON, in which are the files' names and sizes, and the files.
"""

import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from ldp_core.errors import InvalidExperiment, InvalidInput, Problem, StudioError
from ldp_core.settings import without_secrets
from ldp_core.system.process_group import give_way

MEMORY, SECONDS, WAIT_SECONDS = 512 * 2**20, 10, 60
TOO_MUCH = f"takes more than {MEMORY >> 20} MB of memory or {SECONDS} s to read"
CALM = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_IO_THREADS"), "1")
CALM |= {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}
Files = Mapping[str, bytes]
NICENESS = 15
"""Below that of training, which all wait for."""
_turns = defaultdict[str, Lock](Lock)
"""One process at a time for each module."""


class ProcessAnswer(NamedTuple):
    said: dict[str, Any]
    data: bytes
    cpu_seconds: float

    def checked(self, ended: str = TOO_MUCH) -> dict[str, Any]:
        """What was said; raises what the process raised, or InvalidInput as it `ended` at a limit."""
        if "problems" in self.said:
            raise InvalidExperiment([Problem(*one) for one in self.said["problems"]])
        if "refused" in self.said or not self.said:
            raise InvalidInput(self.said.get("refused", ended))
        return self.said


def answer(
    module: str, question: dict[str, Any], files: Files, memory: int = MEMORY, seconds: int = SECONDS
) -> ProcessAnswer:
    """What a module says of files, with at most so many bytes of memory and seconds of CPU; nothing if it
    needs more. InvalidInput if others ask for too long.
    """
    if not _turns[module].acquire(timeout=WAIT_SECONDS):
        raise InvalidInput("this server looks at other uploads just now; try again in a minute")
    head = {"asked": question, "sizes": {name: len(data) for name, data in files.items()}}
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__, module, str(memory), str(seconds)],
            input=b"".join([json.dumps(head).encode(), b"\n", *files.values()]),
            stdout=subprocess.PIPE,  # faults of a reader go to this process's log
            timeout=seconds + WAIT_SECONDS,
            cwd=Path(__file__).parents[2],
            env=without_secrets(os.environ) | CALM,
            start_new_session=True,  # whose priority is its own: a session shares one
            check=True,
        )
        line, _, data = done.stdout.partition(b"\n")
        return ProcessAnswer(**json.loads(line), data=data)
    except (subprocess.SubprocessError, OSError, ValueError):
        return ProcessAnswer({}, b"", seconds)
    finally:
        _turns[module].release()


def main(name: str, memory: str, seconds: str) -> None:
    give_way(NICENESS)
    module, data = importlib.import_module(name), b""
    # address space: beyond what the libraries have taken already
    with suppress(ValueError, OSError):  # macOS has no limit on it
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + int(memory),) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    given = sys.stdin.buffer
    head = json.loads(given.readline())
    files = {name: given.read(size) for name, size in head["sizes"].items()}
    said: dict[str, Any]
    try:
        said, data = module.main(head["asked"], files)
    except InvalidExperiment as error:
        said = {"problems": [(one.path, one.message) for one in error.problems]}
    except StudioError as error:
        said = {"refused": str(error)}
    line = json.dumps({"said": said, "cpu_seconds": time.process_time()}, allow_nan=False)
    sys.stdout.buffer.write(line.encode() + b"\n" + data)


if __name__ == "__main__":
    main(*sys.argv[1:])
