"""How often a page that shows a job asks again: a class asks each second, a few people twice as often."""

from __future__ import annotations

import threading
import time

from streamlit.runtime.scriptrunner import get_script_run_ctx

FEW = 4
SECONDS = {True: 0.5, False: 1.0}
"""Between two questions of one viewer, where they are few and where they are many."""
GONE_SECONDS = 5.0
"""Who has not asked for this long looks no more."""
_asked: dict[str, float] = {}
_lock = threading.Lock()


def pace() -> float:
    """Seconds until this viewer, who is asking now, should ask again."""
    context = get_script_run_ctx()
    return SECONDS[_viewers(context.session_id if context else "", time.monotonic()) <= FEW]


def _viewers(session: str, now: float) -> int:
    """How many look at live jobs, this session among them."""
    with _lock:
        _asked[session] = now
        for gone in [one for one, at in _asked.items() if now - at > GONE_SECONDS]:
            del _asked[gone]
        return len(_asked)
