"""How quickly a job goes on, and so how long what is left of it will take."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import NamedTuple

LEAST = 0.05
"""Less than this share of a step has been done: no pace to speak of."""
MEMORY = 400
"""Steps of which it is judged: older ones may have been of another pace."""


class Moment(NamedTuple):
    at: float
    """In seconds."""
    done: float
    """Steps."""


class Pace:
    def __init__(self) -> None:
        self._steps: deque[Moment] = deque(maxlen=MEMORY)

    def note(self, at: float, done: float) -> None:
        self._steps.append(Moment(at, done))

    def seconds_left(
        self,
        in_all: float,
        since: float = 0.0,
        now: Moment | None = None,
        from_nothing: bool = False,
    ) -> float | None:
        """An estimate for what is left of so many steps; None before there is a pace.

        Args:
            in_all: steps, with those that are done.
            since: when the job was taken up; what was done before a pause says nothing of the pace.
            now: the time, and how much is done by now, where a step in progress tells. What has passed since
                the last step is not left any more, up to twice the longest time that steps have been apart.
            from_nothing: whether it began at `since` with what was done before: where the first step is told
                of at its end.
        """
        steps = [step for step in self._steps if step.at >= since]
        before = len(self._steps) - len(steps)
        if from_nothing and steps and (before or len(self._steps) < MEMORY):
            steps.insert(0, Moment(since, self._steps[before - 1].done if before else 0.0))
        waited = 0.0
        if steps and now and now.done > steps[-1].done:
            steps.append(now)
        elif now and len(steps) > 1:
            longest = max(later.at - earlier.at for earlier, later in pairwise(steps))
            waited = min(max(0.0, now.at - steps[-1].at), 2 * longest)
        if len(steps) < 2 or steps[-1].done - steps[0].done < LEAST:
            return None
        first, last = steps[0], steps[-1]
        if last.at <= first.at:  # a clock was set back
            return None
        pace = (last.at - first.at) / (last.done - first.done)
        return max(0.0, (in_all - last.done) * pace - waited)
