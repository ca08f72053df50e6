"""Shared code of searching attackers: all victims, budgets and restarts side by side, step by step.

A row is one image, of an observation, victim and restart. They are solved in chunks that fit into the CPU's
cache and depend on the request alone, so that a resumed search finds the same bits.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.attacks.base import Effort, Facts, Reconstructor
from ldp_core.attacks.observation import Image, Observation
from ldp_core.attacks.shared.inversion_objective import Distance, Goal, Match
from ldp_core.attacks.shared.minimise import Descent, Memory
from ldp_core.attacks.shared.public_steps import public_steps
from ldp_core.attacks.shared.reading import KnownGradients, labels, read, trims
from ldp_core.fields import Number, Whole
from ldp_core.limits import PRIOR, RESTARTS, SEARCH_STEPS
from ldp_core.models._extended import OFFSET, SCALE
from ldp_core.models.base import Model, Shape
from ldp_core.models.dense import no_dense_start, no_picture
from ldp_core.optimizers import Optimizer

if TYPE_CHECKING:
    import torch

CHUNK = 16
"""Number of images solved side by side on a CPU; a GPU takes all."""
FIRST, FINER = 4, 1.5
"""Number of steps of the first report, and factor to each next one."""
LARGEST = 2**21
"""Largest number of model weights; searches in larger models take hours."""


class Search(Reconstructor):
    """Gradient matching: from random images on, minimises their gradients' distance to the observed ones."""

    distance: ClassVar[Distance]
    seeks_labels: ClassVar[bool] = False
    behind_layers: ClassVar[bool] = False
    """Whether inputs are taken for ax + b with initial a and b, and the last bias for slopes of the loss."""
    each: ClassVar[float] = 1.0
    """Average number of gradients per step."""
    enough: ClassVar[int]
    """Number of steps after which most images are recognisable without noise."""

    iterations: Annotated[int, Whole(SEARCH_STEPS)] = Field(
        int(SEARCH_STEPS.default), description="steps of the search, at most"
    )
    restarts: Annotated[int, Whole(RESTARTS)] = Field(
        int(RESTARTS.default), description="searches from other random images; the best one counts"
    )
    prior: Annotated[float, Number(PRIOR)] = Field(
        PRIOR.default, description="how much smooth images are preferred"
    )

    @classmethod
    def unfit(cls, model: Model, shape: Shape, classes: int) -> str:
        if why := no_picture(shape):
            return why
        large = f"“{model.title}” has more than {LARGEST // 10**6} million weights"
        return f"{large}: a search would take hours" if model.dimension(shape, classes) > LARGEST else ""

    @classmethod
    def cannot_follow(cls, optimizer: Optimizer) -> str:
        if not optimizer.memories:
            return ""
        return f"a step of {optimizer.label} shows the signs of the gradient and little else to match"

    def effort(self, facts: Facts) -> Effort:
        return Effort(gradients=self.each * self.iterations * self.restarts)

    def knows(self, facts: Facts) -> list[str]:
        several = f"{self.restarts} random images, of which the best counts"
        starts = "1 random image" if self.restarts == 1 else several
        return [*super().knows(facts), f"its effort: {self.iterations} steps at most, from {starts}"]

    def way(self, model: Model, shape: Shape, classes: int) -> Search:
        """The search variant with the distance and descent that suit a model."""
        return self

    def at_most(self, steps: int) -> Self:
        """Copy of the search with its number of steps limited."""
        return self.model_copy(update={"iterations": min(steps, self.iterations)})

    @abstractmethod
    def descent(self, objective: Match, start: torch.Tensor) -> Descent:
        """Descent from `start` (n, unknowns)."""

    @abstractmethod
    def edges(self, reading: KnownGradients, pixels: int) -> NDArray[np.float64]:
        """Weight of total variation, (V,), for given gradients."""

    def looks(self) -> list[int]:
        """Numbers of steps after which the current images are reported; the last is the end."""
        found, at = [], float(FIRST)
        while at < self.iterations:
            found.append(int(at))
            at *= FINER
        return [*found, self.iterations]

    def reconstruct(self, seen: Observation, *, generator: np.random.Generator) -> Image:
        return self.reconstruct_all([seen], generators=[generator])[0]

    def reconstruct_all(
        self, seen: Sequence[Observation], *, generators: Sequence[np.random.Generator]
    ) -> list[Image]:
        batch = SearchBatch(self, seen, generators)
        for _ in batch.follow():
            pass
        return [batch.images(i) for i in range(len(seen))]


@dataclass(frozen=True)
class SearchStep:
    observation: int
    iterations: int
    """Largest number of steps taken so far."""
    done: bool


class SearchBatch:
    """A search over several observations of one model, with intermediate results."""

    def __init__(
        self,
        who: Search,
        seen: Sequence[Observation],
        generators: Sequence[np.random.Generator],
        wanted: Sequence[bool] | None = None,
        workers: int = 1,
        earlier: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """`wanted`: observations to solve, others only if they share a chunk; `workers`: parallel chunks;
        `earlier`: state of an equal search to go on from.
        """
        cpu, rows = seen[0].device == "cpu", [len(one.epsilon) for one in seen]
        self._workers = workers if cpu else 1
        self.who, self.seen = who, seen
        self.steps = public_steps(seen) if trims(seen) else None
        self.first = np.cumsum([0, *rows])
        """Number of each observation's first row."""
        self.most, self.pixels = CHUNK if cpu else 2**30, math.prod(seen[0].shape)
        chunks = chunked(rows, max(1, self.most // who.restarts))
        size = who.restarts, self.pixels
        self.starts = [g.uniform(size=(n, *size)) for n, g in zip(rows, generators, strict=True)]
        """Random images that each observation's searches start from, (V, restarts, pixels)."""
        self._found = np.concatenate([start[:, 0] for start in self.starts])
        need = wanted or [True] * len(seen)
        self._shares = np.ones(len(chunks))
        self._chunks = [
            _Chunk(self, chunk, number)
            for number, chunk in enumerate(chunks)
            if any(need[i] for i, _ in chunk)
        ]
        self._shares[[chunk.number for chunk in self._chunks]] = 0.0
        self._at, self._ended = 0, dict[int, int]()
        """Steps up to the current report, and those of the observations that are done."""
        self._every = {i for chunk in self._chunks for i, _ in chunk.members}
        if earlier:
            self._at, self._found = int(earlier["at"]), earlier["found"]
            self._ended = dict(earlier["ended"].tolist())
            for chunk in self._chunks:
                self._shares[chunk.number] = earlier["shares"][chunk.number]
                chunk.memory = {
                    name.removeprefix(chunk.name): array
                    for name, array in earlier.items()
                    if name.startswith(chunk.name)
                }
            self._chunks = self._going()

    def follow(self) -> Iterator[SearchStep]:
        """Search to the end; each report covers all observations before the next one begins."""
        for i in sorted(self._every & self._ended.keys()):
            yield SearchStep(i, self._ended[i], True)
        waiting = self._every - self._ended.keys()
        with _side_by_side(self._workers) as each:
            for at in self.who.looks() if waiting else ():
                if at < self._at:
                    continue
                self._at = at
                ended = each(partial(_Chunk.advance, until=at), self._chunks)
                for chunk, _ in zip(self._chunks, ended, strict=True):
                    self._found[chunk.rows] = chunk.best()
                    descent = chunk.descent
                    self._shares[chunk.number] = 1.0 if descent.done else descent.taken / self.who.iterations
                    for i in sorted({i for i, _ in chunk.members} & waiting):
                        mine = [one for one in self._chunks if any(j == i for j, _ in one.members)]
                        if mine[-1] is not chunk:
                            continue
                        done = all(one.descent.done for one in mine)
                        taken = max(one.descent.taken for one in mine)
                        if done:
                            waiting.discard(i)
                            self._ended[i] = taken
                        yield SearchStep(i, taken, done)

    def state(self) -> dict[str, NDArray[Any]]:
        """State to go on from with the same bits, between two reports."""
        ended = np.array([*self._ended.items()], dtype=np.int64).reshape(-1, 2)
        state = {"at": np.array(self._at), "ended": ended, "found": self._found, "shares": self._shares}
        for chunk in self._going():
            state |= {chunk.name + name: array for name, array in chunk.remembered().items()}
        return state

    def _going(self) -> list[_Chunk]:
        return [one for one in self._chunks if any(i not in self._ended for i, _ in one.members)]

    @property
    def share(self) -> float:
        """Share of the search done, in [0, 1]."""
        return float(self._shares.mean())

    def images(self, observation: int) -> Image:
        """Current images of an observation, (V, 1, *shape)."""
        where = slice(self.first[observation], self.first[observation + 1])
        return self._found[where].reshape(-1, 1, *self.seen[0].shape)


class _Chunk:
    """Some victims of some observations."""

    def __init__(self, batch: SearchBatch, members: Sequence[tuple[int, slice]], number: int) -> None:
        """`number`: among all chunks of the request."""
        self.members, self.number, self._batch, first = members, number, batch, batch.first
        self.name, self.memory = f"{number}/", Memory()
        """Prefix of its arrays in the batch's state, and memory of an earlier descent to go on from."""
        self._lock = Lock()
        self.rows = np.concatenate([np.arange(first[i] + of.start, first[i] + of.stop) for i, of in members])

    def _begun(self) -> Descent:
        import torch

        batch, who, one = self._batch, self._batch.who, self._batch.seen[0]
        like, pixels = _like(one), batch.pixels
        way = who.way(one.model, one.shape, one.classes)
        parts = [batch.seen[i].of(of) for i, of in self.members]
        readings = [read(part, batch.steps) for part in parts]

        def rows(arrays: list[NDArray[np.float64]]) -> torch.Tensor:
            return torch.from_numpy(np.concatenate(arrays)).to(like).repeat_interleave(who.restarts, 0)

        known = None
        if any(r.known is not None for r in readings):
            masks = [np.ones(r.gradients.shape) if r.known is None else r.known for r in readings]
            known = rows([mask.astype(np.float64) for mask in masks])
        if who.behind_layers:
            last = one.model.slices(one.shape, one.classes)[-1]
            targets = rows([r.gradients[:, last.start : last.stop] for r in readings])
        else:
            named = np.concatenate([labels(part, found) for part, found in zip(parts, readings, strict=True)])
            targets = rows([np.eye(one.classes)[named]])
        behind = who.behind_layers or one.white != 1
        before = [_before(part, pixels) for part in parts] if behind else []
        goal = Goal(
            gradients=rows([r.gradients for r in readings]),
            known=known,
            targets=None if who.seeks_labels else targets,
            edges=rows([way.edges(r, pixels) for r in readings]),
            slopes=who.behind_layers,
            before=(rows([a for a, _ in before]), rows([b for _, b in before])) if before else None,
        )
        noise = [batch.starts[i][of].reshape(-1, pixels) for i, of in self.members]
        begin = torch.from_numpy(np.concatenate(noise)).to(like)
        if who.seeks_labels:
            begin = torch.cat([begin, torch.zeros_like(targets)], 1)
        return way.descent(Match(one, way.distance, goal, batch.most), begin)

    def advance(self, until: int) -> None:
        """Advance to a total of `until` steps."""
        with self._lock:
            if not hasattr(self, "descent"):  # a cached_property's lock would make all chunks begin in turn
                self.descent = self._begun()
                if self.memory:
                    self.descent.resume(self.memory)
            self.descent.advance(until)

    def remembered(self) -> Memory:
        with self._lock:
            return self.descent.memory() if hasattr(self, "descent") else self.memory

    def best(self) -> NDArray[np.float64]:
        """Best restart's picture for each victim, (V, pixels)."""
        import torch

        at, pixels = self.descent, self._batch.pixels
        value = at.value.view(-1, self._batch.who.restarts).nan_to_num(torch.inf)
        images = at.x[:, :pixels].view(*value.shape, pixels)
        chosen = images[torch.arange(len(value), device=value.device), value.argmin(1)]
        return np.asarray(chosen.double().cpu().numpy())


@contextmanager
def _side_by_side(
    workers: int,
) -> Iterator[Callable[[Callable[[_Chunk], None], list[_Chunk]], Iterator[None]]]:
    """Parallel map over chunks; leaving it early does not wait for running ones."""
    if workers == 1:
        yield map
        return
    import torch

    # a new thread would compute on as many threads as there are cores
    pool = ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(torch.get_num_threads(),))
    try:
        yield pool.map
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def chunked(rows: Sequence[int], most: int) -> list[list[tuple[int, slice]]]:
    """Chunks of at most `most` rows, as (observation, slice of its rows); a large observation fills chunks of
    its own, evenly, and small ones share.
    """
    found: list[list[tuple[int, slice]]] = []
    room = 0
    for i, count in enumerate(rows):
        if 2 * count <= most:
            if room < count:
                found.append([])
                room = most
            found[-1].append((i, slice(0, count)))
            room -= count
        else:
            room = 0
            ends = np.linspace(0, count, -(-count // most) + 1).astype(int).tolist()
            found += [[(i, slice(a, b))] for a, b in pairwise(ends)]
    return found


def _before(seen: Observation, pixels: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Known transform a, b (V, pixels) before the network; `white` and 0 if there is none."""
    victims = len(seen.epsilon)
    if SCALE not in seen.noted:
        return np.full((victims, pixels), seen.white), np.zeros((victims, pixels))
    scale = np.repeat(seen.noted[SCALE], pixels // seen.noted[SCALE].shape[1], axis=1)
    return np.where(scale == 0, 1.0, scale), seen.noted[OFFSET]


def _like(seen: Observation) -> torch.Tensor:
    """Dtype and device to compute in: double where the search converges to an exact solution."""
    import torch

    dense = not no_dense_start(seen.model, seen.shape, seen.classes)
    return torch.zeros((), dtype=torch.float64 if dense else torch.float32, device=seen.device)
