"""Training of a sweep's batches on the Ray cluster that EPSILON_RAY_ADDRESS names. A process here runs the
job and writes its record; live trainings, attacks and claims stay here, since one remote core would not speed
them up. The program's source travels with the work. Ray is optional, and imported nowhere else.
"""

import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ldp_core.datasets import Report, Step
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment, parse
from ldp_core.runs.batch import Batch, Figures, Said, batches, parcels
from ldp_core.runs.cluster import connection
from ldp_core.runs.lockstep import load, one_thread
from ldp_core.settings import RAY_ADDRESS
from ldp_core.system.resources import gpus

WAKE_SECONDS = 0.5


def there(experiments: Mapping[int, Experiment], report: Report) -> Iterator[tuple[Batch, list[Said]]]:
    """Train experiments; yields each batch with results as they arrive. Raises StudioError where the cluster
    cannot be used, or this program fails there.
    """
    report(Step("Connecting to the cluster"))
    ray = connection.connected(RAY_ADDRESS.value())
    report(Step("Waiting for the cluster"))
    workers = max(1, int(ray.cluster_resources().get("GPU" if gpus() else "CPU", 1)))
    # Ray's own way of trying again would begin from the beginning
    each = {"num_cpus": 1, "num_gpus": 1 if gpus() else 0, "max_retries": 0}
    task = ray.remote(num_returns="streaming", **each)(far_parcels)

    def begun(batch: Batch) -> Any:
        return task.remote({place: one.as_json() for place, one in batch.items()})

    under_way = {begun(batch): batch for batch in batches(experiments, workers)}
    lost, answered = Counter[int](), time.monotonic()
    try:
        while under_way:
            ready, _ = ray.wait([*under_way], num_returns=1, timeout=WAKE_SECONDS)
            answered = answered if ready else connection.still_there(answered)
            for one in ready:
                batch = under_way[one]
                try:
                    yield batch, ray.get(next(one))
                except StopIteration:
                    del under_way[one]
                except ray.exceptions.RayTaskError as error:
                    if isinstance(error.cause, StudioError):
                        raise StudioError(f"on the cluster: {error.cause}") from None
                    logging.exception("an error on the cluster")
                    raise StudioError(f"an error in the program, on the cluster: {error.cause!r}") from None
                except ray.exceptions.RayError as error:
                    del under_way[one]
                    lost[id(batch)] += 1
                    name, left = type(error).__name__, len(batch)
                    if left and lost[id(batch)] > 1:
                        gone = Figures("failed", message=f"lost twice on the cluster ({name})")
                        yield batch, [(place, gone) for place in batch]
                    elif left:
                        logging.warning("lost on the cluster (%s), begun once more: %d left", name, left)
                        under_way[begun(batch)] = batch
    finally:
        for one in under_way:
            ray.cancel(one, force=True)


def far_parcels(left: Mapping[int, Mapping[str, Any]]) -> Iterator[list[Said]]:
    """Results of one remote process for experiments given as JSON."""
    one_thread()
    try:
        batch = {place: parse(one) for place, one in left.items()}
        yield from parcels(batch, {one.dataset: load(one.dataset) for one in batch.values()})
    except StudioError as error:
        raise StudioError(str(error)) from None  # which any process can read
