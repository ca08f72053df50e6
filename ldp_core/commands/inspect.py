"""The command `inspect`: attack an upload that another program saved, or name the failing assumption."""

from __future__ import annotations

import argparse
import json


def command_of_inspect(added: argparse.ArgumentParser) -> None:
    added.add_argument(
        "upload", metavar="UPLOAD.npz", help="arrays before/… and after/…, or update/…, gradient/…"
    )
    added.add_argument(
        "--card", required=True, metavar="CARD.json", help="model, shape, classes, learning_rate, …"
    )


def inspect(options: argparse.Namespace) -> int:
    """Print the result as JSON; returns 1 if an assumption of the attack fails. Raises StudioError: the file
    or the card cannot be read.
    """
    from ldp_core import inspection
    from ldp_core.runs import one_thread

    one_thread()
    found = inspection.inspect(options.upload, options.card)
    print(json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False))
    return int(any(one["holds"] is False for one in found["assumptions"]))
