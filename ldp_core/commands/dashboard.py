"""`epsilon-studio [SCENARIO, MECHANISM] [OPTIONS OF STREAMLIT]`: the dashboard, from any folder; and `still`,
which makes a page of the dashboard's parts.
"""

import argparse
import os
import socket
import subprocess
import sys
from collections.abc import Sequence

from ldp_core.commands import COMMANDS
from ldp_core.commands import INSTALLED as NAME
from ldp_core.errors import InvalidInput, StudioError, hint, shown
from ldp_core.settings import refuse_nonsense
from ldp_core.system.shipped import APP, SHIPPED

PORT, ADDRESS = "server.port", "server.address"


def main(arguments: Sequence[str]) -> int:
    """Replace this process by Streamlit with the dashboard; 2, with a sentence on stderr, if it cannot start.
    The arguments are a scenario or mechanism, which `app.py` reads, and Streamlit's options.
    """
    from ldp_core import mechanisms, presets
    from ldp_core.runs import runs_dir

    try:
        refuse_nonsense()
        opened = [*presets.names(), *mechanisms.names()]
        if arguments and not arguments[0].startswith("-") and arguments[0] not in opened:
            known = hint(arguments[0], [*COMMANDS, *opened])
            raise InvalidInput(
                f"there is no command, scenario or mechanism {shown(arguments[0])}{known} ({NAME} --help "
                f"lists the commands, {NAME} presets the scenarios)"
            )
        runs_dir()
        _refuse_port(arguments)
    except StudioError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return 2
    # -P: or a folder from where it is called would be searched for modules first
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(APP), *arguments]
    if os.name == "posix":
        os.execv(command[0], command)  # noqa: S606
    return subprocess.call(command)


def command_of_still(added: argparse.ArgumentParser) -> None:
    added.add_argument("out", metavar="OUT.html")
    added.add_argument("ids", nargs="*", metavar="ID", help="trainings and attacks to replay")
    added.add_argument("--own", action="store_true", help="also those on own data, whose samples they show")
    text = "train first what it replays and changes, and store that for later (assets/outcomes)"
    added.add_argument("--measure", action="store_true", help=text)


def still(options: argparse.Namespace) -> int:
    """Have the page made by a process of its own, as the dashboard's parts are no part of this package.
    Raises InvalidInput: what that process says.
    """
    flags = [f"--{name}" for name in ("own", "measure") if getattr(options, name)]
    command = [sys.executable, "-m", "pages.parts.still", *flags, "--", options.out, *options.ids]
    paths = [str(SHIPPED), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True)
    if done.returncode == 2:
        raise InvalidInput(done.stderr.strip())
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode


def _refuse_port(arguments: Sequence[str]) -> None:
    """Refuse a requested port that is not available; without a request Streamlit finds a free one. Raises
    InvalidInput: the port is taken, or not permitted.
    """
    asked = _option(arguments, PORT)
    if not asked.isdecimal() or not 0 < int(asked) < 65536:
        return  # none, or one that Streamlit refuses
    host = _option(arguments, ADDRESS) or "127.0.0.1"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as door:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind((host, int(asked)))
    except OSError as error:
        raise InvalidInput(
            f"port {asked} cannot be used ({error.strerror}): end what listens there, or name another one, "
            f"as in --{PORT} {min(int(asked) + 1, 65535)}"
        ) from None


def _option(arguments: Sequence[str], name: str) -> str:
    """Value of a Streamlit option from the command line or the environment."""
    for i, one in enumerate(arguments):
        if one.startswith(f"--{name}="):
            return one.partition("=")[2]
        if one == f"--{name}" and i + 1 < len(arguments):
            return arguments[i + 1]
    return os.environ.get(f"STREAMLIT_{name.replace('.', '_').upper()}", "")
