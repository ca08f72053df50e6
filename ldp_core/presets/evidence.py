"""Results of a scenario's runs as figures for checks.

Pages make them from stored runs, tests from simulated ones (ldp_core.runs.view.evidence), so both judge the
same figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ldp_core.accounting import Table
from ldp_core.mechanisms.base import Floats


@dataclass(frozen=True)
class Attempts:
    """Results of attacks on one client's uploads of one kind, over all rounds of a run."""

    psnr: Floats
    """PSNR in dB by round; of a real upload that of its best recovered image."""
    verdict: str
    """Kind of verdict on the closest round, as in attacks.findings.verdict."""
    hits: float = 0.0
    """Number of identifications …"""
    n: int = 0
    """… in so many attempts (0 without identification) …"""
    chance: float = 0.0
    """… and success rate of guessing."""
    recovered: int = 0
    """Of a real upload: number of images recovered in the best round …"""
    images: int = 1
    """… of so many."""


@dataclass(frozen=True)
class Outcome:
    label: str
    seed: int
    accuracy: float
    """Final accuracy on held-out samples, in [0, 1]."""
    per_class: tuple[float, ...]
    permissive: float
    """Total aggregation weight of the permissive clients in the last round."""
    noise: Floats
    """Measured noise variance per weight, from round 1 on."""
    attempts: Mapping[tuple[str, int], Attempts] = field(default_factory=dict)
    """Attack results by kind of upload and client."""
    ledger: Table = ()
    """Ledger of all clients, as in the end event."""
    chance: float | None = None
    """Accuracy of guessing."""


class Missing(LookupError):
    """The runs do not decide: one is missing, incomplete, or was not attacked."""


class Evidence:
    """Results of a scenario's runs, by variant and seed."""

    def __init__(self, outcomes: Iterable[Outcome], diverged: Iterable[tuple[str, int]] = ()) -> None:
        """`diverged`: label and seed of each diverged run."""
        self.diverged = frozenset(diverged)
        self._runs: dict[str, dict[int, Outcome]] = {}
        for one in outcomes:
            self._runs.setdefault(one.label, {})[one.seed] = one

    def of(self, *labels: str) -> list[list[Outcome]]:
        """Results of each variant in seed order, for seeds common to all.

        Raises:
            Missing: a variant lacks a seed, or all.
        """
        found = [self._runs.get(label, {}) for label in labels]
        seeds = [sorted(runs) for runs in found]
        if not seeds or not seeds[0] or any(these != seeds[0] for these in seeds):
            raise Missing(f"not all of {', '.join(labels)} have completed")
        return [[runs[seed] for seed in seeds[0]] for runs in found]

    def attempts(self, label: str, upload: str, clients: Iterable[int] | None = None) -> list[Attempts]:
        """Attacks on uploads of a kind of these clients (by default all attacked), over all seeds.

        Raises:
            Missing: there are none.
        """
        wanted = None if clients is None else set(clients)
        found = [
            tries
            for one in self.of(label)[0]
            for (kind, client), tries in one.attempts.items()
            if kind == upload and (wanted is None or client in wanted)
        ]
        if not found:
            raise Missing(f"{label} was not attacked")
        return found
