"""`python -m ldp_core`, the command line; and `epsilon-studio`, which without a command is the dashboard.

What is imported here runs on an interpreter of any age, to say which one it takes.
"""

import sys

OLDEST, TOO_NEW = (3, 11), (3, 15)


def refuse_others() -> None:
    """End this process, with a sentence, on an interpreter for which the libraries have no wheels."""
    if not OLDEST <= sys.version_info[:2] < TOO_NEW:
        sys.exit(
            f"Epsilon Studio takes Python 3.11 to 3.14, and this is {sys.version.split()[0]}: make the "
            "environment with another one, as in python3.11 -m venv .venv"
        )


def studio() -> int:
    """The command `epsilon-studio`."""
    refuse_others()
    from importlib.metadata import version

    from ldp_core import cli
    from ldp_core.commands import dashboard

    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(version(dashboard.NAME))
        return 0
    if arguments and arguments[0] in ("-h", "--help", *cli.names()):
        return cli.main(arguments, dashboard.NAME)
    return dashboard.main(arguments, cli.names())


if __name__ == "__main__":
    refuse_others()
    from ldp_core.cli import main

    sys.exit(main())
