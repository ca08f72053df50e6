"""The command `check`: test a part against its contract, check by check."""

from __future__ import annotations

import argparse
import textwrap

from ldp_core.errors import on_one_line

WIDTH = 110


def command_of_check(added: argparse.ArgumentParser) -> None:
    added.add_argument("part", metavar="PART", help="its name; or KIND:NAME, where two kinds have it")


def check(options: argparse.Namespace) -> int:
    """Print the result of each check; 1 if one fails."""
    import numpy as np

    from ldp_core.contract.promises import left_out, promises
    from ldp_core.runs import one_thread

    if why := left_out(options.part):
        print(f"no  {why}")
        return 1
    one_thread()
    failed = False
    for promise in promises(options.part):
        try:
            with np.errstate(all="ignore"):
                promise.check()
        except Exception as error:  # whatever the code of others does
            failed, kind = True, "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            text = on_one_line(f"{promise.words}: {kind}{error}")
            print(textwrap.fill(text, WIDTH, initial_indent="no  ", subsequent_indent="    "), flush=True)
        else:
            print(f"ok  {promise.words}", flush=True)
    return int(failed)
