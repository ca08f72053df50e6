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
    """Exit with a sentence on an unsupported Python version."""
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


def studio() -> int:
    """Entry point of `epsilon-studio`."""
    refuse_others()
    gc.set_threshold(SELDOM)
    from importlib.metadata import version

    from ldp_core import cli
    from ldp_core.commands import dashboard
    from ldp_core.system.data_folder import keep_private

    keep_private()

    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(version(dashboard.NAME))
        return 0
    if arguments and arguments[0] in ("-h", "--help", *cli.names(), *cli.GONE):
        leave(cli.main(arguments, dashboard.NAME))
    return dashboard.main(arguments, cli.names())


if __name__ == "__main__":
    refuse_others()
    gc.set_threshold(SELDOM)
    from ldp_core.cli import main
    from ldp_core.system.data_folder import keep_private

    keep_private()
    leave(main())
