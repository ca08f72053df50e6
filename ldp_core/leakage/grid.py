"""The attacker's desk: the same images under every mechanism and budget, as a stream of cells.

Pure like `simulate`: a request in, events out; no files, no clock. Every cell attacks the same
uploads from the same global model; only the noise differs. The model is trained without noise up to
the chosen round: that is cheap, the same for all cells, and no easier to attack than a noisy one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch

from ldp_core.attacks import Observation, Reconstructor
from ldp_core.attacks.findings import metrics
from ldp_core.attacks.findings.verdict import judge, judge_share
from ldp_core.attacks.observation import Image
from ldp_core.attacks.shared.laws import blocks
from ldp_core.datasets import Data
from ldp_core.errors import Diverged
from ldp_core.events import Cell, Event, LadderEnded, LadderStarted, Reference
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.experiment.schema import Experiment, Piece
from ldp_core.federated.federation import (
    Federation,
    assemble,
    choose_device,
    initial_weights,
    taking_part,
)
from ldp_core.federated.privacy_filter import PrivacyFilter
from ldp_core.federated.round import one_round
from ldp_core.federated.upload import Columns
from ldp_core.images import encode
from ldp_core.leakage.candidates import line_up
from ldp_core.leakage.identification import Rows, candidate_values, identify
from ldp_core.leakage.observe import Control, audit_values, begun, observe, public_images, real_values
from ldp_core.leakage.online import MOST_MEMBERS
from ldp_core.leakage.scores import identification_bounds, score_audits, score_real
from ldp_core.leakage.summary import summary
from ldp_core.mechanisms import Mechanism
from ldp_core.streams import stream
from ldp_core.systems import Participation

SHARE = 16
"""Of memory: a victim's uploads are looked at in parts of so many blocks."""
TOGETHER = 2**26
"""Numbers in the uploads of cells that are attacked in one call, at most."""
CONTROLS: tuple[Control, ...] = ("clean", "clipped")

Rung = tuple[int, float]
"""Its number from below, from 0, and its budget."""
Figures = dict[Control | None, dict[str, Any]]


def climb(
    ladder: Ladder,
    data: Data,
    device: torch.device | None = None,
    told: Sequence[dict[str, Any]] = (),
) -> Iterator[Event]:
    """The events of a ladder: its start, and for each mechanism two references and a cell per budget.

    Args:
        ladder: what is asked for.
        data: the base's data set.
        device: where to train; by default a GPU where there is one.
        told: the first events of the same ladder, as JSON, if it was climbed before: they are neither
            computed nor told again. What follows is the same to the last bit.

    Raises:
        InvalidInput: a partition that cannot give every client a sample.
    """
    federation = assemble(ladder.experiment(None), data, device or choose_device())
    try:
        desk = _Desk(ladder, federation, *_trained(federation, ladder.round))
    except Diverged as error:
        yield LadderEnded(
            status="diverged", cells=0, message=f"diverged before round {ladder.round}: {error}"
        )
        return
    if not told:
        yield desk.start()
    known = _Known.of(told)
    for mechanism in ladder.mechanisms:
        yield from desk.climb(mechanism, known)
    count = len(ladder.mechanisms) * len(ladder.epsilons)
    yield LadderEnded(status="completed", cells=count, message="")


def _trained(federation: Federation, number: int) -> tuple[torch.Tensor, Participation]:
    """The global model that round `number` starts from, trained without noise, and the system's part."""
    weights, budgets = initial_weights(federation), PrivacyFilter(federation.experiment)
    joined = taking_part(federation)
    for before in range(1, number):
        weights = one_round(federation, weights, before, budgets, joined).weights
    return weights, joined


@dataclass(frozen=True)
class _Known:
    """What was found when the same ladder was climbed before, as JSON."""

    references: dict[tuple[str, str], dict[str, Any]]
    """By mechanism and control."""
    cells: set[tuple[str, float]]
    """By mechanism and budget."""

    @classmethod
    def of(cls, told: Sequence[dict[str, Any]]) -> _Known:
        references = {(e["mechanism"], e["control"]): e for e in told if e["event"] == "reference"}
        return cls(references, {(e["mechanism"], e["epsilon"]) for e in told if e["event"] == "cell"})


@dataclass(frozen=True)
class _Attempt:
    """An observation of some images in one cell, under a control or as sent."""

    place: int
    """Of its rung among those that are attacked in the same call."""
    control: Control | None
    seen: Observation
    picked: list[dict[str, Any]]
    """What came of the identification, for each image."""


class _Desk:
    """The uploads under attack, and everything that stays the same from cell to cell."""

    def __init__(
        self, ladder: Ladder, federation: Federation, weights: torch.Tensor, joined: Participation
    ) -> None:
        self._ladder, self._federation, self._weights = ladder, federation, weights
        shard = federation.shards[ladder.client]
        audit = ladder.upload == "audit"
        order = stream(ladder.seed, "attack images", ladder.client).permutation(len(shard))
        self._samples = shard[order[: ladder.images]] if audit else shard[:MOST_MEMBERS]
        self._public = public_images(federation)
        shown = self._samples if audit else self._samples[:1]
        lineup = line_up(federation, shown.tolist(), range(len(shown)), ladder.candidates)
        mean = np.broadcast_to(lineup.mean_image, lineup.originals.shape)
        self._lineup = lineup
        self._guesses = [
            float(np.median(metrics.psnr(guess, lineup.originals))) for guess in (mean, lineup.class_means)
        ]
        self._begun = begun(np.full(len(shown), ladder.client), weights, joined)
        if audit:
            self._exact = audit_values(federation, self._samples, self._begun.own)
        else:
            self._exact = real_values(federation, np.array([ladder.client]), self._begun.own, ladder.round)

    def start(self) -> LadderStarted:
        """What stands above the grid."""
        lineup, ladder = self._lineup, self._ladder
        knows = {
            mechanism.name: ladder.attacker_of(mechanism).knows(ladder.facts(mechanism))
            for mechanism in ladder.mechanisms
        }
        return LadderStarted(
            ladder=ladder.as_json(),
            n=len(self._samples),
            dimension=self._federation.experiment.dimension,
            attackers={one.name: ladder.attacker_of(one).name for one in ladder.mechanisms},
            knows=knows,
            label=int(lineup.labels[0]),
            image=encode(lineup.originals[0]),
            mean_image=encode(lineup.mean_image),
            class_mean=encode(lineup.class_means[0]),
            psnr_mean_image=self._guesses[0],
            psnr_class_mean=self._guesses[1],
            chance=1 / ladder.candidates,
        )

    def climb(self, mechanism: Mechanism, known: _Known) -> Iterator[Event]:
        """The references and cells of a mechanism that are not known yet."""
        ladder, experiment = self._ladder, self._ladder.experiment(mechanism)
        who = ladder.attacker_of(mechanism)
        references: dict[Control | None, dict[str, Any]] = {
            control: known.references[mechanism.name, control]
            for control in CONTROLS
            if (mechanism.name, control) in known.references
        }
        wanted: list[Control] = [control for control in CONTROLS if control not in references]
        rungs = [
            (row, epsilon)
            for row, epsilon in enumerate(ladder.epsilons)
            if (mechanism.name, epsilon) not in known.cells or (row == 0 and wanted)
        ]
        for some in self._batches(rungs, who):
            asked = {row: row == 0 and bool(wanted) for row, _ in some}
            for (_, epsilon), found in zip(some, self._attack(experiment, who, some, asked), strict=True):
                for control in wanted if len(found) > 1 else ():
                    references[control] = found[control]
                    yield Reference(
                        mechanism=mechanism.name, control=control, attacker=who.name, **found[control]
                    )
                if (mechanism.name, epsilon) not in known.cells:
                    yield self._cell(mechanism, epsilon, who, found[None], references)

    def _batches(self, rungs: Sequence[Rung], who: Reconstructor) -> Iterator[Sequence[Rung]]:
        """Rungs that are attacked in one call: as many as fit in memory, where that is of use."""
        each = self._exact.size * self._ladder.rounds_observed
        many = max(1, TOGETHER // each) if who.together else 1
        for first in range(0, len(rungs), many):
            yield rungs[first : first + many]

    def _attack(
        self, experiment: Experiment, who: Reconstructor, rungs: Sequence[Rung], controls: dict[int, bool]
    ) -> list[Figures]:
        """The figures of some cells, and of both controls where they are asked for."""
        federation = replace(self._federation, experiment=experiment)
        low, high = (
            end[self._ladder.client] for end in (federation.population.low, federation.population.high)
        )
        noises = {row: stream(self._ladder.seed, "attack noise", row) for row, _ in rungs}
        hidden = {row: stream(self._ladder.seed, "identification noise", row) for row, _ in rungs}
        rows: list[dict[Control | None, list[dict[str, Any]]]] = [{} for _ in rungs]
        each = self._exact.shape[1] * self._ladder.rounds_observed // SHARE
        pieces = experiment.pieces(self._ladder.round)
        for victims in blocks(len(self._exact), each):
            exact = self._exact[victims]
            attempts: list[_Attempt] = []
            for place, (row, epsilon) in enumerate(rungs):
                ends = [np.full((len(exact), 1), float(end)) for end in (epsilon, low, high)]
                columns = (ends[0], ends[1], ends[2])
                picked = self._picked(federation, victims, pieces, columns, hidden[row], controls[row])
                seen = observe(
                    federation,
                    exact,
                    self._weights,
                    pieces,
                    columns,
                    noises[row],
                    upload=self._ladder.upload,
                    times=self._ladder.rounds_observed,
                    public=self._public,
                    noted=self._begun.of(victims).noted,
                )
                attempts += [
                    _Attempt(place, control, one, picked.get(control, []))
                    for control, one in seen.items()
                    if control is None or controls[row]
                ]
            # the same start for every cell, so that only the noise differs
            starts = [stream(self._ladder.seed, "reconstruction", victims.start) for _ in attempts]
            guesses = who.reconstruct_all([one.seen for one in attempts], generators=starts)
            for one, guess in zip(attempts, guesses, strict=True):
                scored = self._scored(one, guess, victims)
                rows[one.place].setdefault(one.control, []).extend(scored)
        return [{control: summary(found) for control, found in cell.items()} for cell in rows]

    def _picked(
        self,
        federation: Federation,
        victims: slice,
        pieces: Sequence[Piece],
        columns: Columns,
        noise: np.random.Generator,
        controls: bool,
    ) -> Rows:
        """What comes of the identification; the right candidate of an image is the same on every rung."""
        if self._ladder.upload == "real":
            return {}
        keys = range(len(self._exact))[victims]
        lineup, times = self._lineup.of(victims), self._ladder.rounds_observed
        begun = self._begun.of(victims)
        return identify(
            federation, lineup, self._weights, pieces, columns, keys, noise, times, controls, begun
        )

    def _scored(self, one: _Attempt, guesses: Image, victims: slice) -> list[dict[str, Any]]:
        if self._ladder.upload == "real":
            members = self._federation.train_x[self._samples].cpu().numpy()
            others = self._federation.test_x[: len(members)].cpu().numpy()
            return [score_real(guesses[0], members, others, self._lineup.mean_image)]
        lineup = self._lineup.of(victims)
        rows = score_audits(one.seen, guesses[:, 0], lineup, one.picked)
        if one.control is None:
            sent = candidate_values(self._federation, lineup, self._begun.of(victims))
            for row, lines in zip(rows, identification_bounds(one.seen, lineup, sent), strict=True):
                row["caps"] = lines
        return rows

    def _cell(
        self,
        mechanism: Mechanism,
        epsilon: float,
        who: Reconstructor,
        figures: dict[str, Any],
        references: dict[Control | None, dict[str, Any]],
    ) -> Cell:
        """A cell with its verdict."""
        clean, clipped = references["clean"], references["clipped"]
        if self._ladder.upload == "real":
            shares = [one["recovered"] / one["n"] for one in (figures, clean, clipped)]
            verdict = judge_share(shares[0], figures["recovered_non_members"], *shares[1:])
        else:
            mean, of_class = self._guesses
            verdict = judge(figures["psnr"], mean, clean["psnr"], clipped["psnr"], of_class)
        return Cell(
            mechanism=mechanism.name,
            epsilon=epsilon,
            attacker=who.name,
            rounds_observed=self._ladder.rounds_observed,
            verdict=asdict(verdict),
            **figures,
        )
