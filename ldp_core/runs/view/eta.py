"""How quickly a job goes on, and so how long what is left of it will take."""

from __future__ import annotations

from collections import deque

LEAST = 0.05
"""Less than this share of a step has been done: no pace to speak of."""
MEMORY = 400
"""Steps of which it is judged: older ones may have been of another pace."""


class Pace:
    """When how much was done."""

    def __init__(self) -> None:
        self._steps: deque[tuple[float, float]] = deque(maxlen=MEMORY)

    def note(self, at: float, done: float) -> None:
        """`done` steps had been done at time `at`, in seconds."""
        self._steps.append((at, done))

    def seconds_left(
        self, in_all: int, since: float = 0.0, now: tuple[float, float] | None = None
    ) -> float | None:
        """An estimate for what is left of so many steps; None before there is a pace.

        Args:
            in_all: steps, with those that are done.
            since: when the job was taken up; what was done before a pause says nothing of the pace.
            now: the time, and how much is done by now, where a step in progress tells.
        """
        steps: list[tuple[float, float]] = [step for step in self._steps if step[0] >= since]
        if steps and now and now[1] > steps[-1][1]:
            steps.append(now)
        if len(steps) < 2 or steps[-1][1] - steps[0][1] < LEAST:
            return None
        (first_at, before), (last_at, done) = steps[0], steps[-1]
        if last_at <= first_at:  # a clock was set back
            return None
        return (in_all - done) * (last_at - first_at) / (done - before)
