"""Known deployments of differential privacy with a published ε, as marks beside a person's total ε."""

from dataclasses import dataclass

LIST = "D. Desfontaines, A list of real-world uses of differential privacy, desfontain.es"
BLOG = "Google Research, Advances in private training for production on-device language models, 2024"


@dataclass(frozen=True)
class Deployment:
    name: str
    epsilon: float
    delta: float
    unit: str
    """Whose data ε covers, and for how long."""
    trust: str
    """`local`, or `central` for a trusted server."""
    source: str
    """A secondary list or the deployer's own report."""
    read: str
    """Date on which the source was read, YYYY-MM-DD."""

    @property
    def covers(self) -> str:
        """`Apple: a user, a day, local`."""
        return f"{self.name.split()[0].rstrip(',')}: {self.unit}, {self.trust}"


DEPLOYMENTS = (
    Deployment("Gboard, best", 0.994, 1e-10, "a user, one model", "central", BLOG, "2026-11-28"),
    Deployment("Apple Health types", 2.0, 0.0, "a user, a day", "local", LIST, "2026-11-28"),
    Deployment("Apple emoji", 4.0, 0.0, "a user, a day", "local", LIST, "2026-11-28"),
    Deployment("Apple Safari", 8.0, 0.0, "a user, a day", "local", LIST, "2026-11-28"),
    Deployment("Gboard, weakest", 13.69, 1e-10, "a user, one model", "central", BLOG, "2026-11-28"),
    Deployment("Apple QuickType", 16.0, 0.0, "a user, a day", "local", LIST, "2026-11-28"),
)
"""By rising ε. Units differ: a budget for a day is spent again on the next."""
