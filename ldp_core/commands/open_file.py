"""The command `open`: the settings of an exported file or a link, as a draft for the pages."""

import argparse
import sys
from pathlib import Path

from ldp_core.errors import InvalidInput, on_one_line
from ldp_core.settings import PUBLIC_URL

AT_HOME = "http://localhost:8501"


def command_of_open(added: argparse.ArgumentParser) -> None:
    added.add_argument("source", metavar="FILE|LINK", help="a ZIP, a report or a program; or a shared link")


def open_file(options: argparse.Namespace) -> int:
    """Print the address of the draft, and on stderr how long training takes. Raises StudioError: the file or
    link holds no settings that this version can use.
    """
    from ldp_core.cost.estimate import cost
    from ldp_core.runs import Training, carry, drafts, jobs, kinds, rates

    source = options.source
    try:
        if "?" in source:
            found = carry.settings_at(source)
        else:
            with Path(source).open("rb") as stream:
                found = carry.settings_in(stream)
    except OSError as error:
        raise InvalidInput(f"{on_one_line(source)} cannot be read ({error.strerror})") from error
    identity, page = drafts.new(found.draft), "train"
    if found.ladder:
        drafts.keep_ladder(identity, found.ladder)
        page = "attack"
    elif kinds.is_known("run", Training(found.draft, reference=True)):
        jobs.submit(found.draft, identity, reference=True)
        print("trained here before: it is shown at once", file=sys.stderr)
    elif known := rates():
        seconds = cost(found.draft).seconds(known)
        print(f"to train it takes about {seconds:.0f} s on this machine", file=sys.stderr)
    print(f"{(PUBLIC_URL.value() or AT_HOME).rstrip('/')}/{page}?draft={identity}")
    return 0
