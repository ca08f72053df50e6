"""The worker's process for trials before training: only while a slot is free, killed when a job takes it."""

import logging
import os
from collections.abc import Sequence
from multiprocessing.process import BaseProcess

from ldp_core.runs.lockstep import one_thread
from ldp_core.runs.machine.slots import Slot
from ldp_core.runs.process.child import CONTEXT
from ldp_core.runs.record import pilots
from ldp_core.runs.record.pilots import PilotRequest
from ldp_core.runs.storage.database import be_patient
from ldp_core.system import memory, process_group


class Piloting:
    def __init__(self) -> None:
        self._process: BaseProcess | None = None
        self._asked: PilotRequest | None = None
        self._seen: tuple[int, ...] = ()

    def step(self, free: Sequence[Slot]) -> bool:
        """Begin, check or stop a trial, given the free slots; True while there is one."""
        if self._process and self._asked:
            if process_group.has_ended(self._process):
                self._end(self._process, self._asked)
            elif not free or self._asked not in pilots.waiting():  # it has been replaced
                self.stop()
        if self._process is None and free and self._is_new() and (some := pilots.waiting()):
            self._begin(some[0], free[0])
        return self._process is not None

    def stop(self) -> None:
        """Kill the trial; it is begun again if it is still asked for."""
        if self._process:
            process_group.end(self._process)
        self._process, self._seen = None, ()

    def _is_new(self) -> bool:
        """Whether the requests have changed since none waited."""
        try:
            found = pilots.WAITING.path.stat()
        except OSError:
            return False
        now = found.st_ino, found.st_size, found.st_mtime_ns
        if now == self._seen:
            return False
        if not pilots.waiting():
            self._seen = now
        return True

    def _begin(self, asked: PilotRequest, slot: Slot) -> None:
        self._asked = asked
        self._process = CONTEXT.Process(target=_try_out, args=(asked, slot, os.getpid()))
        try:
            with process_group.stops_held():
                self._process.start()
        except OSError:
            logging.exception("no process for a trial")
            self._process = None

    def _end(self, process: BaseProcess, asked: PilotRequest) -> None:
        process_group.end(process)
        if process.exitcode:
            logging.warning("a trial ended with code %s", process.exitcode)
            pilots.give_up(asked)
        pilots.done(asked)
        self._process = None


def _try_out(asked: PilotRequest, slot: Slot, parent: int) -> None:
    process_group.end_when_asked()
    process_group.begin(parent)
    memory.be_given_up(memory.FIRST)
    slot._replace(cores=1).enter()
    be_patient()
    one_thread()
    import torch

    if not torch.cuda.is_available():
        memory.limit(slot.memory)
    pilots.try_out(asked)
    os._exit(0)
