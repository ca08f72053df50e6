"""The attacker's desk: the same images under every mechanism and budget, as a stream of cells.

Pure like `simulate`: a request in, events out; no files, no clock. Every cell attacks the same
uploads from the same global model; only the noise differs. The model is trained without noise up to
the chosen round: that is cheap, the same for all cells, and no easier to attack than a noisy one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch

from ldp_core import attacks
from ldp_core.attacks import Observation, metrics
from ldp_core.attacks.laws import blocks
from ldp_core.attacks.verdict import judge, judge_share
from ldp_core.datasets import Data
from ldp_core.errors import Diverged
from ldp_core.events import Cell, Event, LadderEnded, LadderStarted, Reference
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.experiment.schema import Experiment, Piece
from ldp_core.experiment.threat_model import facts
from ldp_core.federated.federation import Federation, assemble, choose_device, initial_weights
from ldp_core.federated.privacy_filter import Purse
from ldp_core.federated.round import one_round
from ldp_core.federated.upload import Columns
from ldp_core.images import encode
from ldp_core.leakage.candidates import line_up
from ldp_core.leakage.identification import Rows, identify
from ldp_core.leakage.observe import Control, audit_values, observe, public_images, real_values
from ldp_core.leakage.online import MOST_MEMBERS
from ldp_core.leakage.scores import identification_bounds, score_audits, score_real
from ldp_core.leakage.summary import summary
from ldp_core.mechanisms import Mechanism
from ldp_core.streams import stream

SHARE = 16
"""Of memory: a victim's uploads are looked at in parts of so many blocks."""


def climb(ladder: Ladder, data: Data, device: torch.device | None = None) -> Iterator[Event]:
    """The events of a ladder: its start, and for each mechanism two references and a cell per budget.

    Args:
        ladder: what is asked for.
        data: the base's data set.
        device: where to train; by default a GPU where there is one.

    Raises:
        InvalidInput: a partition that cannot give every client a sample.
    """
    federation = assemble(ladder.experiment(None), data, device or choose_device())
    try:
        desk = _Desk(ladder, federation, _trained(federation, ladder.round))
    except Diverged as error:
        yield LadderEnded(
            status="diverged", cells=0, message=f"diverged before round {ladder.round}: {error}"
        )
        return
    yield desk.start()
    for mechanism in ladder.mechanisms:
        experiment = ladder.experiment(mechanism)
        references: dict[Control | None, dict[str, Any]] = {}
        for row, epsilon in enumerate(ladder.epsilons):
            found = desk.attack(experiment, mechanism, epsilon, row, controls=row == 0)
            for control, figures in found.items():
                if control is not None:
                    references[control] = figures
                    yield Reference(
                        mechanism=mechanism.name,
                        control=control,
                        attacker=ladder.attacker_of(mechanism),
                        **figures,
                    )
            yield desk.cell(mechanism, epsilon, found[None], references)
    count = len(ladder.mechanisms) * len(ladder.epsilons)
    yield LadderEnded(status="completed", cells=count, message="")


def _trained(federation: Federation, number: int) -> torch.Tensor:
    """The global model that round `number` starts from, trained without noise."""
    weights, purse = initial_weights(federation), Purse(federation.experiment)
    for before in range(1, number):
        weights = one_round(federation, weights, before, purse).weights
    return weights


class _Desk:
    """The uploads under attack, and everything that stays the same from cell to cell."""

    def __init__(self, ladder: Ladder, federation: Federation, weights: torch.Tensor) -> None:
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
        if audit:
            self._exact = audit_values(federation, self._samples, weights)
        else:
            self._exact = real_values(federation, np.array([ladder.client]), weights, ladder.round)

    def start(self) -> LadderStarted:
        """What stands above the grid."""
        lineup, ladder = self._lineup, self._ladder
        knows = {
            mechanism.name: attacks.get(ladder.attacker_of(mechanism)).knows(
                facts(ladder.experiment(mechanism), ladder.upload, ladder.rounds_observed)
            )
            for mechanism in ladder.mechanisms
        }
        return LadderStarted(
            ladder=ladder.as_json(),
            n=len(self._samples),
            dimension=self._federation.experiment.dimension,
            attackers={one.name: ladder.attacker_of(one) for one in ladder.mechanisms},
            knows=knows,
            label=int(lineup.labels[0]),
            image=encode(lineup.originals[0]),
            mean_image=encode(lineup.mean_image),
            class_mean=encode(lineup.class_means[0]),
            psnr_mean_image=self._guesses[0],
            psnr_class_mean=self._guesses[1],
            chance=1 / ladder.candidates,
        )

    def attack(
        self, experiment: Experiment, mechanism: Mechanism, epsilon: float, row: int, controls: bool
    ) -> dict[Control | None, dict[str, Any]]:
        """The figures of one cell, and of both controls if asked for."""
        federation = replace(self._federation, experiment=experiment)
        low, high = (
            end[self._ladder.client] for end in (federation.population.low, federation.population.high)
        )
        noise = stream(self._ladder.seed, "attack noise", row)
        hidden = stream(self._ladder.seed, "identification noise", row)
        rows: dict[Control | None, list[dict[str, Any]]] = {}
        each = self._exact.shape[1] * self._ladder.rounds_observed // SHARE
        for victims in blocks(len(self._exact), each):
            exact = self._exact[victims]
            ends = [np.full((len(exact), 1), float(end)) for end in (epsilon, low, high)]
            columns, pieces = (ends[0], ends[1], ends[2]), experiment.pieces(self._ladder.round)
            picked = self._picked(federation, victims, pieces, columns, hidden, controls)
            for control, seen in observe(
                federation,
                exact,
                self._weights,
                pieces,
                columns,
                noise,
                upload=self._ladder.upload,
                times=self._ladder.rounds_observed,
                public=self._public,
            ).items():
                if control is None or controls:
                    own = picked.get(control, [])
                    rows.setdefault(control, []).extend(self._scored(seen, mechanism, victims, control, own))
        return {control: summary(found) for control, found in rows.items()}

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
        return identify(federation, lineup, self._weights, pieces, columns, keys, noise, times, controls)

    def _scored(
        self,
        seen: Observation,
        mechanism: Mechanism,
        victims: slice,
        control: Control | None,
        picked: list[dict[str, Any]],
    ) -> list[dict[str, Any]]:
        attacker = attacks.reconstructor(self._ladder.attacker_of(mechanism))
        guesses = attacker.reconstruct(seen)
        if self._ladder.upload == "real":
            members = self._federation.train_x[self._samples].cpu().numpy()
            others = self._federation.test_x[: len(members)].cpu().numpy()
            return [score_real(guesses[0], members, others, self._lineup.mean_image)]
        lineup = self._lineup.of(victims)
        rows = score_audits(seen, guesses[:, 0], lineup, picked)
        if control is None:
            for row, lines in zip(rows, identification_bounds(seen, lineup), strict=True):
                row["caps"] = lines
        return rows

    def cell(
        self,
        mechanism: Mechanism,
        epsilon: float,
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
            attacker=self._ladder.attacker_of(mechanism),
            rounds_observed=self._ladder.rounds_observed,
            verdict=asdict(verdict),
            **figures,
        )
