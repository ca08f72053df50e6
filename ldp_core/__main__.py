"""`python -m ldp_core`, the command line; `epsilon-studio` without a command opens the dashboard.

Imports here must work on any Python version, to name the supported ones.
"""

import atexit
import gc
import os
import sys
from typing import NoReturn

SELDOM = 100_000
"""Number of new objects between two garbage collections, more than imports create."""
OLDEST, TOO_NEW = (3, 11), (3, 15)


def refuse_others() -> None:
    """Exit with a sentence on an unsupported system or Python version."""
    if sys.platform == "win32":
        sys.exit("Epsilon Studio runs on Linux and macOS: on Windows install it in WSL")
    if not OLDEST <= sys.version_info[:2] < TOO_NEW:
        sys.exit(
            f"Epsilon Studio takes Python 3.11 to 3.14, and this is {sys.version.split()[0]}: make the "
            "environment with another one, as in python3.11 -m venv .venv"
        )


def leave(code: int) -> NoReturn:
    """Exit without taking the interpreter apart, which costs as much as a small run (0.7 s with torch)."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)


def command_line(called: str) -> NoReturn:
    from ldp_core.commands import parser_of

    arguments = sys.argv[1:]
    if arguments[:1] in ([], ["-h"], ["--help"]):  # by names alone: the commands import for a second
        parser_of(called)[0].parse_args(arguments)
    gc.set_threshold(SELDOM)
    from ldp_core.cli import main
    from ldp_core.system.data_folder import keep_private

    keep_private()
    leave(main(arguments, called))


def studio() -> int:
    """Entry point of `epsilon-studio`."""
    refuse_others()
    from ldp_core.commands import COMMANDS, GONE, INSTALLED

    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from importlib.metadata import version

        print(version(INSTALLED))
        return 0
    if arguments and arguments[0] in ("-h", "--help", *COMMANDS, *GONE):
        command_line(INSTALLED)
    from ldp_core.commands import dashboard
    from ldp_core.system.data_folder import keep_private

    keep_private()
    return dashboard.main(arguments)


if __name__ == "__main__":
    refuse_others()
    command_line("python -m ldp_core")
