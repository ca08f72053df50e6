"""Results of a scenario's runs as figures for checks (made by `ldp_core.runs.view.evidence`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ldp_core.accounting import Table
from ldp_core.mechanisms.base import Floats


@dataclass(frozen=True)
class Attempts:
    """Results of attacks on one client's uploads of one kind, over all rounds of a run."""

    psnr: Floats
    """In dB, by round; of a real upload that of its best recovered image."""
    verdict: str
    """Kind of verdict on the closest round, as in attacks.findings.verdict."""
    hits: float = 0.0
    """Identifications in `n` attempts, and success rate of guessing."""
    n: int = 0
    chance: float = 0.0
    recovered: int = 0
    """Of a real upload: images recovered in the best round, of so many."""
    images: int = 1


@dataclass(frozen=True)
class Outcome:
    label: str
    seed: int
    accuracy: float
    """Final, on held-out samples."""
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
    def __init__(self, outcomes: Iterable[Outcome], diverged: Iterable[tuple[str, int]] = ()) -> None:
        """`diverged`: labels and seeds."""
        self.diverged = frozenset(diverged)
        self._runs: dict[str, dict[int, Outcome]] = {}
        for one in outcomes:
            self._runs.setdefault(one.label, {})[one.seed] = one

    def of(self, *labels: str) -> list[list[Outcome]]:
        """Results of each variant in seed order; raises Missing if one lacks a seed, or all."""
        found = [self._runs.get(label, {}) for label in labels]
        seeds = [sorted(runs) for runs in found]
        if not seeds or not seeds[0] or any(these != seeds[0] for these in seeds):
            raise Missing(f"not all of {', '.join(labels)} have completed")
        return [[runs[seed] for seed in seeds[0]] for runs in found]

    def attempts(self, label: str, upload: str, clients: Sequence[int] | None = None) -> list[Attempts]:
        """Attacks on uploads of a kind of these clients (by default of all), over all seeds; raises Missing
        if there are none.
        """
        found = [
            tries
            for one in self.of(label)[0]
            for (kind, client), tries in one.attempts.items()
            if kind == upload and (clients is None or client in clients)
        ]
        if not found:
            raise Missing(f"{label} was not attacked")
        return found
