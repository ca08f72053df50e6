"""`epsilon-studio [OPTIONS OF STREAMLIT]`: the dashboard, from any folder; and `still`, which makes a page of
the dashboard's parts.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence

from ldp_core.commands import COMMANDS
from ldp_core.commands import INSTALLED as NAME
from ldp_core.errors import InvalidInput, StudioError, hint, shown
from ldp_core.settings import refuse_nonsense
from ldp_core.system.shipped import APP, SHIPPED


def main(arguments: Sequence[str]) -> int:
    """Replace this process by Streamlit with the dashboard; 2, with a sentence on stderr, if it cannot start.
    The arguments are Streamlit's options.
    """
    from ldp_core.runs import runs_dir

    try:
        refuse_nonsense()
        if arguments and not arguments[0].startswith("-"):
            known = hint(arguments[0], [*COMMANDS])
            raise InvalidInput(f"there is no command {shown(arguments[0])}{known} ({NAME} --help lists them)")
        runs_dir()
    except StudioError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return 2
    # -P: or a folder from where it is called would be searched for modules first
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(APP), *arguments]
    return os.execv(command[0], command)  # noqa: S606


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
