"""`python -m ldp_core` that measures figures of papers, and waits to be killed once it has kept one."""

import signal
from pathlib import Path

from ldp_core.cli import main
from ldp_core.papers.measuring import keep
from ldp_core.papers.stored import StoredFigure
from ldp_core.runs import claims


def keep_and_wait(path: Path, *figures: StoredFigure) -> None:
    """Put a figure in its file; no other one follows."""
    keep(path, *figures)
    signal.pause()


if __name__ == "__main__":
    claims.keep = keep_and_wait  # type: ignore[attr-defined]
    main()
