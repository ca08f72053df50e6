"""Writes the page; `python -m ldp_core still` starts it, and tells what it says."""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from ldp_core.errors import StudioError
from ldp_core.runs import carry


def main(arguments: Sequence[str] | None = None) -> int:
    """2, with a sentence on stderr, for what cannot be written."""
    parser = argparse.ArgumentParser(prog="still")
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("out", type=Path)
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args(arguments)
    logging.disable(logging.WARNING)  # Streamlit's, that nobody looks: as soon as it is imported
    from pages.parts.still.parts import page
    from pages.parts.still.stored import measure

    try:
        if options.measure:
            measure()
        carry.put(options.out, page(options.ids, options.own).encode())
    except StudioError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
