"""The attacked uploads of a grid: what the server observes, and the figures of an attempt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ldp_core.attacks import Observation, Reconstructor
from ldp_core.attacks.findings import metrics
from ldp_core.attacks.findings.verdict import judge, judge_share
from ldp_core.attacks.observation import Image
from ldp_core.attacks.shared.laws import blocks
from ldp_core.events import Cell, LadderStarted, Reference
from ldp_core.experiment import plan
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.federated.federation import Federation
from ldp_core.federated.state import State
from ldp_core.images import encode
from ldp_core.leakage.candidates import line_up
from ldp_core.leakage.crafted import observe_lied
from ldp_core.leakage.identification import Rows, identify, would_send
from ldp_core.leakage.observe import (
    ControlKind,
    VictimStart,
    audit_values,
    begun,
    observe,
    public_images,
    real_values,
)
from ldp_core.leakage.online import MOST_MEMBERS
from ldp_core.leakage.scores import identification_bounds, score_audits, score_real, summary
from ldp_core.mechanisms import Mechanism
from ldp_core.streams import stream

SHARE = 16
"""Fraction 1/SHARE of the memory that a block of uploads may take."""
CONTROLS: tuple[ControlKind, ...] = ("clean", "clipped")

RowFigures = dict[str, Any]
Row = dict[str, Any]


Place = tuple[str, float | None, ControlKind | None]
"""Mechanism, and ε of a cell, or a control."""


@dataclass(frozen=True)
class Known:
    """Stored results of the same ladder, as JSON."""

    figures: dict[Place, RowFigures]
    guesses: set[tuple[Place, int]]
    """Stored frames by place and number of steps."""

    @classmethod
    def of(cls, earlier: Sequence[dict[str, Any]]) -> Known:
        def place(event: dict[str, Any]) -> Place:
            return event["mechanism"], event.get("epsilon"), event.get("control")

        figures = {place(one): one for one in earlier if one["event"] in ("reference", "cell")}
        return cls(figures, {(place(one), one["iterations"]) for one in earlier if one["event"] == "guess"})


@dataclass(frozen=True)
class Rung:
    mechanism: Mechanism
    row: int
    """Index of the cell's ε, ascending from 0."""
    epsilon: float

    def streams(self, seed: int) -> tuple[np.random.Generator, np.random.Generator]:
        """Generators of the noise on attacked and on identified uploads; the same for every mechanism."""
        return stream(seed, "attack noise", self.row), stream(seed, "identification noise", self.row)

    def place(self, control: ControlKind | None) -> Place:
        return self.mechanism.name, None if control else self.epsilon, control


class Grid:
    """The attacked uploads of a grid, and everything that is constant over cells."""

    def __init__(self, ladder: Ladder, federation: Federation, before: State) -> None:
        """`before`: the state before the attacked round."""
        self.ladder, self._federation = ladder, federation
        client = ladder.client - 1
        shard = federation.shards[client]
        audit = ladder.upload == "audit"
        order = stream(ladder.seed, "attack images", client).permutation(len(shard))
        self._samples = shard[order[: ladder.images]] if audit else shard[:MOST_MEMBERS]
        self._public = public_images(federation)
        shown = self._samples if audit else self._samples[:1]
        lineup = line_up(federation, shown.tolist(), range(len(shown)), ladder.candidates)
        self._lineup = lineup
        self._guesses = [float(np.median(guessed)) for guessed in lineup.guessed.values()]
        self._clients = np.full(len(shown), client)
        self._begun = begun(federation, self._clients, before)
        if audit:
            self._exact = audit_values(self._begun, self._samples)
        else:
            self._exact = real_values(self._begun, self._clients)

    def start(self) -> LadderStarted:
        lineup, ladder = self._lineup, self.ladder
        who = {one.name: ladder.attacker_of(one) for one in ladder.mechanisms}
        return LadderStarted(
            ladder=ladder.as_json(),
            n=len(self._samples),
            dimension=self._federation.plan.dimension,
            attackers={name: one.name for name, one in who.items()},
            knows={one.name: who[one.name].knows(ladder.facts(one)) for one in ladder.mechanisms},
            label=int(lineup.labels[0]),
            image=encode(lineup.originals[0]),
            mean_image=encode(lineup.mean_image),
            class_mean=encode(lineup.class_means[0]),
            psnr_mean_image=self._guesses[0],
            psnr_class_mean=self._guesses[1],
            chance=1 / ladder.candidates,
        )

    @property
    def numbers(self) -> int:
        return self._exact.size * self.ladder.rounds_observed

    def parts(self) -> list[slice]:
        each = self._exact.shape[1] * self.ladder.rounds_observed // SHARE
        return list(blocks(len(self._exact), each))

    def seen(
        self, rung: Rung, noise: np.random.Generator, victims: slice
    ) -> dict[ControlKind | None, Observation]:
        """Observations of some images in a cell, as sent and under both controls."""
        upload, times, server = self.ladder.upload, self.ladder.rounds_observed, self.ladder.server
        start = self._under(rung, victims)
        if server.reader:
            return observe_lied(server, start, self._clients, self._public, noise, times)
        return observe(start, self._exact[victims], noise, upload, times, self._public)

    def picked(self, rung: Rung, hidden: np.random.Generator, victims: slice, controls: bool) -> Rows:
        """Identification results of some images; the true candidate of an image is the same in every cell."""
        if self.ladder.upload == "real":
            return {}
        start, keys = self._under(rung, victims), range(len(self._exact))[victims]
        times = self.ladder.rounds_observed
        return identify(start, self._lineup.of(victims), keys, hidden, times, controls)

    def generator(self, victims: slice) -> np.random.Generator:
        """Generator of the attacker's start, the same in every cell, so that only the noise differs."""
        return stream(self.ladder.seed, "reconstruction", victims.start)

    def scored(
        self,
        control: ControlKind | None,
        seen: Observation,
        guesses: Image,
        picked: list[Row],
        victims: slice,
    ) -> list[Row]:
        if self.ladder.upload == "real":
            members = self._federation.pictures(self._federation.train_x[self._samples])
            others = self._federation.pictures(self._federation.test_x[: len(members)])
            return [score_real(guesses[0], members, others, self._lineup.mean_image)]
        lineup = self._lineup.of(victims)
        (rows,) = score_audits([(seen, guesses[:, 0], picked)], lineup)
        if control is None:
            sent = would_send(self._begun.of(victims), [lineup.any_class], seen)
            for row, lines in zip(rows, identification_bounds(seen, sent[0]), strict=True):
                row["caps"] = lines
        return rows

    def quality(self, guesses: Image, victims: slice) -> float:
        """Median PSNR in dB of guesses at some images."""
        originals = self._lineup.of(victims).originals
        return float(np.median(metrics.psnr(metrics.clamped(guesses[:, 0]), originals)))

    def cell(
        self,
        rung: Rung,
        who: Reconstructor,
        figures: RowFigures,
        references: Mapping[ControlKind, RowFigures],
    ) -> Cell:
        clean, clipped = references["clean"], references["clipped"]
        if self.ladder.upload == "real":
            share, whole, cut = (one["recovered"] / one["n"] for one in (figures, clean, clipped))
            by_chance = [figures[f"{name}_non_members"] for name in ("recovered", "read")]
            read = figures["read"] / figures["n"]
            verdict = judge_share(share, by_chance[0], whole, cut, figures["n"], read, by_chance[1])
        else:
            psnr, ncc, stranger = (figures[name] for name in ("psnr", "ncc", "ncc_non_members"))
            verdict = judge(psnr, ncc, stranger, max(self._guesses), clean["psnr"], clipped["psnr"])
        return Cell(
            mechanism=rung.mechanism.name,
            epsilon=rung.epsilon,
            attacker=who.name,
            rounds_observed=self.ladder.rounds_observed,
            verdict=asdict(verdict),
            **figures,
        )

    def _under(self, rung: Rung, victims: slice) -> VictimStart:
        """Some of the attacked uploads under a cell's mechanism and budget."""
        federation = replace(self._federation, plan=plan(self.ladder.experiment(rung.mechanism)))
        start = self._begun.of(victims)
        epsilon, *ends = start.columns
        columns = np.full_like(epsilon, rung.epsilon), ends[0], ends[1]
        return replace(start, federation=federation, columns=columns)


def climb_rungs(grid: Grid, mechanism: Mechanism, known: Known) -> Iterator[Reference | Cell]:
    """References and cells of a mechanism that are not stored yet, one after another."""
    ladder = grid.ladder
    who = ladder.attacker_of(mechanism)
    stored = {control: known.figures.get((mechanism.name, None, control)) for control in CONTROLS}
    references = {control: figures for control, figures in stored.items() if figures}
    for row, epsilon in enumerate(ladder.epsilons):
        wanted = [control for control in CONTROLS if control not in references]
        has_cell = (mechanism.name, epsilon, None) in known.figures
        if has_cell and not wanted:
            continue
        found = _attacked(grid, Rung(mechanism, row, epsilon), who, bool(wanted))
        for control in wanted:
            references[control] = found[control]
            yield Reference(mechanism=mechanism.name, control=control, attacker=who.name, **found[control])
        if not has_cell:
            yield grid.cell(Rung(mechanism, row, epsilon), who, found[None], references)


def _attacked(
    grid: Grid, rung: Rung, who: Reconstructor, controls: bool
) -> dict[ControlKind | None, RowFigures]:
    rows: dict[ControlKind | None, list[Row]] = {}
    noise, hidden = rung.streams(grid.ladder.seed)
    for victims in grid.parts():
        picked = grid.picked(rung, hidden, victims, controls)
        for control, seen in grid.seen(rung, noise, victims).items():
            if control is None or controls:
                guesses = who.reconstruct(seen.with_ranges_read(), generator=grid.generator(victims))
                scored = grid.scored(control, seen, guesses, picked.get(control, []), victims)
                rows.setdefault(control, []).extend(scored)
    return {control: summary(found) for control, found in rows.items()}
