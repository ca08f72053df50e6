"""Inspection of an upload in a process of its own, since the server loads no torch; nothing is written."""

import json
import subprocess
import sys
from pathlib import Path
from threading import Lock
from typing import Any

from ldp_core.errors import InvalidInput
from ldp_core.runs.process.start import environment
from ldp_core.runs.record import own_data

SECONDS, WAIT_SECONDS = 120, 60
YOURSELF = "run `python -m ldp_core inspect UPLOAD.npz --card CARD.json` on a machine of your own"
_one_at_a_time = Lock()


def inspected(upload: bytes, card: bytes) -> dict[str, Any]:
    """Result of `ldp_core.inspection.inspect` for an npz file and its card; else InvalidInput."""
    if not own_data.hours():
        raise InvalidInput("this server takes no data of its visitors: its operator has switched that off")
    if len(upload) + len(card) > own_data.MOST_BYTES:
        raise InvalidInput(f"these files have more than {own_data.MOST_BYTES >> 20} MB: {YOURSELF}")
    if not _one_at_a_time.acquire(timeout=WAIT_SECONDS):
        raise InvalidInput("this server looks at other uploads just now; try again in a minute")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ldp_core.inspection"],
            input=f"{len(card)}\n".encode() + card + upload,
            capture_output=True,
            timeout=SECONDS,
            cwd=Path(__file__).parents[3],
            env=environment(),
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise InvalidInput(f"an attack on it takes more than {SECONDS} seconds here: {YOURSELF}") from None
    except (subprocess.CalledProcessError, OSError):
        raise InvalidInput(f"it could not be looked at here: {YOURSELF}") from None
    finally:
        _one_at_a_time.release()
    found: dict[str, Any] = json.loads(done.stdout)
    if "refused" in found:
        raise InvalidInput(found["refused"])
    return found
