"""First points of curves come first: when a training makes room for those of others."""

import math
import time
from collections.abc import Collection

from ldp_core.runs.queue.claiming import AT_WORK, is_new
from ldp_core.runs.queue.table import find

POINTS_SECONDS, LOOK_SECONDS = 2.0, 0.1
"""Time after which a training that has just begun, and has points, makes room for another's first points, and
so many times less for so many others; and between two looks at who waits.
"""


class FirstPoints:
    """Those that others wait for while a training computes `keys`."""

    def __init__(self, keys: Collection[str], resumed: bool) -> None:
        self._keys = set(keys)
        self._looked = self._begun = math.inf if resumed else time.monotonic()

    def come_first(self, has_points: bool, trained: bool) -> bool:
        """True if the training is to make room, whose curves have points or are `trained` to their ends."""
        if not trained and (not has_points or time.monotonic() - self._looked <= LOOK_SECONDS):
            return False
        self._looked, others = time.monotonic(), self._others()
        return others > 0 and (trained or (self._looked - self._begun) * others > POINTS_SECONDS)

    def _others(self) -> int:
        """Number of new jobs that wait for more than is computed here."""
        live = find(f"(status = 'queued' OR {AT_WORK})", most=1000, requests=False)
        served = {job.owner for job in live if job.status != "queued"}
        new = (job for job in live if job.status == "queued" and is_new(job, served))
        return sum(not self._keys.issuperset(job.keys) for job in new)
