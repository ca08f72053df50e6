"""The attack that runs beside the training: every round, on every victim, with both controls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from ldp_core import attacks
from ldp_core.attacks import Observation
from ldp_core.attacks.observation import Image
from ldp_core.events import Attacked
from ldp_core.experiment.threat_model import Spy, spies
from ldp_core.federated.federation import Federation
from ldp_core.leakage.candidates import line_up
from ldp_core.leakage.identification import Rows, identify
from ldp_core.leakage.observe import (
    Control,
    Victims,
    audit_values,
    choose_victims,
    observe,
    public_images,
    real_values,
)
from ldp_core.leakage.scores import identification_bounds, score_audits, score_real
from ldp_core.streams import stream

MOST_MEMBERS = 2000
"""Of a larger client, so many of its images are looked for."""


class Attempts:
    """What stays the same from round to round: victims, decoys, public images, attackers."""

    def __init__(self, federation: Federation) -> None:
        experiment = federation.experiment
        self.spies = spies(experiment)
        self.victims = choose_victims(federation) if self.spies else Victims(*(np.empty(0, np.int64),) * 2)
        self._federation = federation
        if self.spies and experiment.attack:
            clients, samples = self.victims.clients.tolist(), self.victims.samples.tolist()
            self._lineup = line_up(federation, samples, clients, experiment.attack.candidates)
            self._public = public_images(federation)
            self._times = experiment.attack.rounds_observed

    def round(self, weights: torch.Tensor, number: int) -> Iterator[Attacked]:
        """All attempts of round `number`, on uploads that start from the global model `weights` (d,)."""
        for spy in self.spies:
            picked = self._picked(weights, number) if spy.upload == "audit" else {}
            for control, seen in self._seen(spy, weights, number).items():
                guesses = attacks.reconstructor(spy.attacker).reconstruct(seen)
                if spy.upload == "audit":
                    rows = self._audits(control, seen, guesses, picked[control])
                else:
                    rows = self._real(seen, guesses)
                for client, row in zip(self.victims.clients, rows, strict=True):
                    yield Attacked(
                        round=number,
                        client=int(client),
                        upload="audit" if spy.upload == "audit" else "real",
                        control=control,
                        attacker=spy.attacker,
                        **row,
                    )

    def _picked(self, weights: torch.Tensor, number: int) -> Rows:
        federation, experiment = self._federation, self._federation.experiment
        return identify(
            federation,
            self._lineup,
            weights,
            experiment.pieces(number),
            federation.population.columns(self.victims.clients),
            [number * experiment.clients.count + client for client in self.victims.clients.tolist()],
            stream(experiment.seed, "identification noise", number),
            self._times,
        )

    def _seen(self, spy: Spy, weights: torch.Tensor, number: int) -> dict[Control | None, Observation]:
        federation, experiment = self._federation, self._federation.experiment
        if spy.upload == "audit":
            exact = audit_values(federation, self.victims.samples, weights)
        else:
            exact = real_values(federation, self.victims.clients, weights, number)
        return observe(
            federation,
            exact,
            weights,
            experiment.pieces(number),
            federation.population.columns(self.victims.clients),
            stream(experiment.seed, "attack noise", number if spy.upload == "audit" else -number),
            upload=spy.upload,
            times=self._times,
            public=self._public,
        )

    def _audits(
        self, control: Control | None, seen: Observation, guesses: Image, picked: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        rows = score_audits(seen, guesses[:, 0], self._lineup, picked)
        if control is None:
            for row, lines in zip(rows, identification_bounds(seen, self._lineup), strict=True):
                row["caps"] = [line.as_json() for line in lines]
                row["cap"] = min(line.value for line in lines)
        return rows

    def _real(self, seen: Observation, guesses: Image) -> list[dict[str, Any]]:
        federation, found = self._federation, []
        for client, own in zip(self.victims.clients, guesses, strict=True):
            members = federation.train_x[federation.shards[client][:MOST_MEMBERS]].cpu().numpy()
            others = federation.test_x[: len(members)].cpu().numpy()
            row = score_real(own, members, others, self._lineup.mean_image)
            found.append(row | {"rounds_observed": seen.rounds})
        return found
