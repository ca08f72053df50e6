"""What a run does when its rounds are done: a search for images that waits for that, in rounds' worth."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

from ldp_core.cost.work import seconds, uploads_attacked, work_of
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import parse
from ldp_core.experiment.threat_model import resolved, spies
from ldp_core.runs.machine.calibration import rates


@dataclass(frozen=True)
class After:
    """Of one run."""

    rounds: float = 0.0
    """As many of its rounds take as long as the search, by this machine's rates; 0 where nothing waits."""
    uploads: int = 1
    """That are searched."""
    steps: int = 1
    """Of the search of each, at most."""


NOTHING = After()


@lru_cache(maxsize=512)
def after(experiment: str) -> After:
    """Of an experiment, as JSON text."""
    try:
        one = resolved(parse(json.loads(experiment)))
    except (InvalidExperiment, ValueError):
        return NOTHING
    known = rates()
    if known is None or one.attack is None or not one.attack.after:
        return NOTHING
    work = work_of(one)
    searching = work.searches * known.search
    training = max(seconds([work], known) - searching, 1e-9)
    steps = max(int(getattr(spy.who, "iterations", 1)) for spy in spies(one))
    return After(one.rounds * searching / training, max(1, uploads_attacked(one)), steps)
