"""Known deployments of differential privacy with a published ε, and what each ε covers."""

from dataclasses import dataclass

from ldp_core.limits import number

LIST = "D. Desfontaines, A list of real-world uses of differential privacy, desfontain.es"
BLOG = "Google Research, Advances in private training for production on-device language models, 2024"


@dataclass(frozen=True)
class Deployment:
    name: str
    epsilon: float
    delta: float
    period: str
    """What of a user ε covers."""
    trust: str
    """`local`, or `central` for a trusted server."""
    source: str
    """A secondary list or the deployer's own report."""
    read: str
    """Date on which the source was read, YYYY-MM-DD."""

    @property
    def covers(self) -> str:
        """`a user for one day, δ 0, local`."""
        return f"a user for {self.period}, δ {number(self.delta)}, {self.trust}"


DEPLOYMENTS = (
    Deployment("Gboard, best", 0.994, 1e-10, "one model", "central", BLOG, "2026-11-28"),
    Deployment("Apple Health types", 2.0, 0.0, "one day", "local", LIST, "2026-11-28"),
    Deployment("Apple emoji", 4.0, 0.0, "one day", "local", LIST, "2026-11-28"),
    Deployment("Apple Safari", 8.0, 0.0, "one day", "local", LIST, "2026-11-28"),
    Deployment("Gboard, weakest", 13.69, 1e-10, "one model", "central", BLOG, "2026-11-28"),
    Deployment("Apple QuickType", 16.0, 0.0, "one day", "local", LIST, "2026-11-28"),
)
"""By rising ε; none has the period and the δ of a run here, so they are listed and not drawn on its axis."""


def listed() -> list[str]:
    """The deployments of each unit in words, with what that is."""
    found = dict[str, list[str]]()
    for one in DEPLOYMENTS:
        found.setdefault(one.covers, []).append(f"{one.name} {number(one.epsilon, 4)}")
    return [f"{', '.join(names)} ({covers})" for covers, names in found.items()]
