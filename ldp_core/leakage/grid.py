"""The attack grid: the same images under every mechanism and budget, as a stream of cells.

Pure like `simulate`: a request in, events out; no files, no clock. Every cell attacks the same uploads from
the same global model; only the noise differs. The model is trained without noise up to the attacked round:
cheap, the same for all cells, and no easier to attack than a noisy model.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import torch

from ldp_core.attacks.shared.search import Search
from ldp_core.datasets import Data
from ldp_core.errors import Diverged
from ldp_core.events import Event, LadderEnded
from ldp_core.experiment import plan
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.federated.federation import Federation, assemble, choose_device, untrained
from ldp_core.federated.round import one_round
from ldp_core.federated.state import State
from ldp_core.leakage.coarse_to_fine import Searches, search
from ldp_core.leakage.grid_context import Grid, Known, climb_rungs
from ldp_core.system.threads import on_one_thread


@on_one_thread
def climb(
    ladder: Ladder,
    data: Data,
    device: torch.device | None = None,
    earlier: Sequence[dict[str, Any]] = (),
    searches: Searches | None = None,
) -> Iterator[Event]:
    """Events of an attack grid: its start, then two references and a cell per budget for each mechanism.

    Stored first events of the same grid, `earlier`, are neither computed nor yielded again, and the rest is
    the same to the last bit; `searches`: those that were under way then. Raises `InvalidInput` if the
    partition cannot give every client a sample.
    """
    federation = assemble(plan(ladder.experiment(None)), data, device or choose_device())
    try:
        grid = Grid(ladder, federation, trained(federation, ladder.round))
    except Diverged as error:
        yield LadderEnded(
            status="diverged", cells=0, message=f"diverged before round {ladder.round}: {error}"
        )
        return
    if not earlier:
        yield grid.start()
    known = Known.of(earlier)
    for who, alike in groupby(ladder.mechanisms, ladder.attacker_of):
        mechanisms = list(alike)
        if isinstance(who, Search):
            yield from search(grid, mechanisms, who, known, searches or Searches())
            continue
        for mechanism in mechanisms:
            yield from climb_rungs(grid, mechanism, known)
    count = len(ladder.mechanisms) * len(ladder.epsilons)
    yield LadderEnded(status="completed", cells=count, message="")


def trained(federation: Federation, number: int) -> State:
    """State before round `number`, trained without noise."""
    state = untrained(federation)
    while state.round < number - 1:
        state = one_round(federation, state).state
    return state
