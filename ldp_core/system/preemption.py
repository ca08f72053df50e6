"""Preemption: the worker asks a training process by a signal to make room, and the process stops at its next
checkpoint, so that nothing trained is lost.
"""

import signal
from typing import Any

SIGNAL = signal.SIGUSR1
_asked: list[bool] = []
"""Not empty once this process has been asked."""


class Preempted(BaseException):
    """The job makes room for others. No subclass of Exception, so that no handler of errors catches it."""


def listen() -> None:
    """From now on the signal asks this process to make room, one that was held back included."""
    _asked.clear()
    signal.signal(SIGNAL, _note)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {SIGNAL})


def _note(number: int, frame: Any) -> None:
    _asked.append(True)


def asked() -> bool:
    return bool(_asked)


def make_room_if_asked() -> None:
    """Raise Preempted if this process was asked to; called where all that was computed is recorded."""
    if _asked:
        raise Preempted
