"""Processes that have what is not ours imported already: each is a fork of one that waits for it.

To import torch and pytest takes two seconds of a core, so commands that tests type, and most workers, begin
with that done. Nothing of this project is imported before the fork, so a copy of it elsewhere is run as such;
how the product starts a worker is left to the tests that say so (`as_people_start_it`).
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import psutil

SERVER = r"""
import atexit, ctypes, fcntl, gc, json, os, pathlib, runpy, signal, socket, sys, threading, traceback

path, keeper = sys.argv[1], int(sys.argv[2])
door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
try:
    door.bind(path)
except OSError:
    sys.exit()  # another one is there
door.listen(16)

import filelock, multiprocessing, numpy, platformdirs, psutil, pydantic, pytest, scipy.special, sqlite3, torch

gc.collect()
gc.freeze()  # what is there stays: no child need look through it, nor have a copy of its own for that
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # they are not waited for here: who has ended is gone
door.settimeout(1.0)
while True:
    try:
        line, _ = door.accept()
    except TimeoutError:
        try:
            os.kill(keeper, 0)
        except ProcessLookupError:
            sys.exit()
        continue
    line.settimeout(10.0)
    try:
        line.send(b"ready")
        asked, files, _, _ = socket.recv_fds(line, 2**18, 16)
    except OSError:  # the caller is gone, or says nothing
        asked, files = b"", []
    if asked and not os.fork():
        break
    for file in files:
        os.close(file)
    line.close()

door.close()
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
asked = json.loads(asked)
# out of the way of the numbers that they shall have
beyond = max(asked["files"]) + 1
moved = []
for file in (*files, line.detach()):
    moved.append(fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, beyond))
    os.close(file)
line = socket.socket(fileno=moved.pop())
line.setblocking(True)
for file, wanted in zip(moved, asked["files"], strict=True):
    os.dup2(file, wanted)
    os.close(file)
for space in asked["spaces"]:
    with open(space) as file:
        if ctypes.CDLL(None).setns(file.fileno(), 0):
            sys.exit(f"{space} cannot be entered")
os.setsid()
os.chdir(asked["cwd"])
os.environ.clear()
os.environ.update(asked["environment"])
sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)
sys.path[0] = asked["cwd"]
sys.argv = ["-m", *asked["words"][1:]]
line.send(str(os.getpid()).encode())
if asked["words"][0] == "ldp_core.runs.process.worker":
    from tests.gate import install
    install(pathlib.Path(os.environ["EPSILON_RUNS_DIR"]))
if not asked["heard"]:
    line.close()
try:
    if asked["words"][0] == "ldp_core":  # whose `__main__` ends the process before its code is sent
        from ldp_core.cli import main
        sys.exit(main())
    runpy.run_module(asked["words"][0], run_name="__main__", alter_sys=True)
    code = 0
except SystemExit as error:
    code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
except BaseException:
    traceback.print_exc()
    code = 1
# as an interpreter ends, but for taking everything apart that was imported
threading._shutdown()
atexit._run_exitfuncs()
sys.stdout.flush()
sys.stderr.flush()
if asked["heard"]:
    line.send(str(code).encode())
os._exit(code)
"""

LINUX = sys.platform == "linux"
"""Elsewhere there are none of these processes, and all begin with an interpreter of their own."""
PATIENCE_SECONDS = 60.0
"""Until it is there, on a busy machine."""


class Interpreter:
    """What stands for `python -m`; all processes of one session of tests share it."""

    def __init__(self, place: Path, keeper: int) -> None:
        """It is started when first asked for, at a socket that others know, and ends with `keeper`."""
        self.place, self._keeper = place, keeper

    def _line(self) -> socket.socket:
        started, deadline = False, time.monotonic() + PATIENCE_SECONDS
        while True:
            line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                line.connect(str(self.place))
                assert line.recv(100) == b"ready", "it has not outlived its imports"
                return line
            except (FileNotFoundError, ConnectionRefusedError):
                line.close()
            assert time.monotonic() < deadline, "it did not begin"
            if not started:
                started = True
                self._start()
            time.sleep(0.02)

    def _start(self) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(self.place), str(self._keeper)],
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # as the product starts workers
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        process.returncode = 0  # it ends when no process is left to wait for it

    def be_ready(self) -> None:
        """Wait for it now, and not when something is timed, or a lock is held."""
        if LINUX:
            self._line().close()

    def _begin(
        self,
        words: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        files: Mapping[int, int],
        within: int | None,
        heard: bool,
    ) -> tuple[int, socket.socket]:
        line = self._line()
        asked = {
            "words": list(words),
            "cwd": str(cwd),
            "environment": dict(environment),
            "files": list(files),
            "spaces": [f"/proc/{within}/ns/{kind}" for kind in ("user", "mnt")] if within else [],
            "heard": heard,
        }
        socket.send_fds(line, [json.dumps(asked).encode()], list(files.values()))
        return int(line.recv(100)), line

    def begin(
        self,
        words: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        files: Mapping[int, int],
        within: int | None = None,
    ) -> int:
        """`python -m WORDS` in a session of its own, with these files (its number: ours), and in the
        namespaces of the process `within`; returns its number.
        """
        pid, line = self._begin(words, cwd, environment, files, within, heard=False)
        line.close()
        return pid

    def run(
        self,
        words: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        folder: Path,
        given: str = "",
        within: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """`python -m WORDS`, typed in `cwd` with `given` as its input; `folder` takes what is printed."""
        if not LINUX:
            command, env = [sys.executable, "-m", *words], dict(environment)
            return subprocess.run(command, cwd=cwd, env=env, input=given, capture_output=True, text=True)
        (folder / "stdin").write_text(given, encoding="utf-8")
        with (
            (folder / "stdin").open("rb") as zero,
            (folder / "stdout").open("wb") as one,
            (folder / "stderr").open("wb") as two,
        ):
            files = {0: zero.fileno(), 1: one.fileno(), 2: two.fileno()}
            _, line = self._begin(words, cwd, environment, files, within, heard=True)
        with line:
            code = int(line.recv(100) or -1)  # nothing is said by who was killed
        output = ((folder / name).read_text(encoding="utf-8") for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(list(words), code, *output)

    def piped(
        self, words: Sequence[str], cwd: Path, environment: Mapping[str, str], folder: Path, given: str = ""
    ) -> tuple[psutil.Process, IO[str]]:
        """The same under way, and what it prints as it comes; `folder` takes what it says of errors."""
        (folder / "stdin").write_text(given, encoding="utf-8")
        read, write = os.pipe()
        with (
            (folder / "stdin").open("rb") as zero,
            os.fdopen(write, "wb") as one,
            (folder / "stderr").open("wb") as two,
        ):
            if LINUX:
                files = {0: zero.fileno(), 1: one.fileno(), 2: two.fileno()}
                process = psutil.Process(self.begin(words, cwd, environment, files))
            else:
                command, env = [sys.executable, "-m", *words], dict(environment)
                process = psutil.Popen(command, cwd=cwd, env=env, stdin=zero, stdout=one, stderr=two)
        return process, os.fdopen(read, encoding="utf-8")


class Begun:
    """What stands for the `Popen` of a process that was begun here."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        return None if psutil.pid_exists(self.pid) else 0


class Processes:
    """What stands for the module `subprocess` where a worker is started."""

    DEVNULL = subprocess.DEVNULL

    def __init__(self, interpreter: Interpreter, within: int | None = None) -> None:
        self._interpreter, self._within = interpreter, within

    def Popen(
        self,
        command: list[str],
        *,
        pass_fds: list[int],
        cwd: Path,
        env: Mapping[str, str],
        stdout: IO[Any],
        **others: Any,
    ) -> Begun:
        """What is asked of it beside that holds for every process that is begun here."""
        assert command[:2] == [sys.executable, "-m"]
        assert others == {"stdin": self.DEVNULL, "stderr": stdout, "start_new_session": True}
        with Path(os.devnull).open("rb") as nothing:
            files = {0: nothing.fileno(), 1: stdout.fileno(), 2: stdout.fileno()}
            files |= {file: file for file in pass_fds}
            return Begun(self._interpreter.begin(command[2:], cwd, env, files, self._within))
