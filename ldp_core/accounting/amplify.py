"""What hiding who sent a message would add, and when it adds nothing.

Both results need something that most federations do not have: sampling needs participation that the
server cannot see, shuffling needs a trusted shuffler and one and the same mechanism and budget for
all. Where that is missing, the ledger does not use them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ldp_core.errors import InvalidInput, shown


@dataclass(frozen=True)
class Amplified:
    """A bound after amplification, whether it applies, and why (not)."""

    epsilon: float
    applies: bool
    why: str


def by_sampling(epsilon: float, share: float, hidden: bool) -> Amplified:
    """Amplification by sampling, ln(1 + q(e^ε − 1)), for a client that takes part with a secret probability
    q.

    Raises:
        InvalidInput: a share that is no probability.
    """
    if not 0 <= share <= 1:
        raise InvalidInput(f"share must be between 0 and 1; got {shown(share)}")
    if not hidden:
        return Amplified(epsilon, False, "the server sees who takes part, so being chosen hides nothing")
    # written so that it neither overflows for large ε nor cancels for small ones
    if epsilon < 30:
        bound = math.log1p(share * math.expm1(epsilon))
    else:
        bound = epsilon + math.log(share + (1 - share) * math.exp(-epsilon)) if share else 0.0
    return Amplified(min(bound, epsilon), True, "a client takes part unseen, with this probability")


def by_shuffling(epsilon: float, clients: int, delta: float, alike: bool = True) -> Amplified:
    """The bound of Feldman, McMillan and Talwar 2021 (theorem 3.1) on one shuffled message.

    Args:
        epsilon: the local budget.
        clients: messages that are shuffled together.
        delta: at which the bound holds.
        alike: all use the same mechanism with the same budget and range.
    """
    if not alike:
        why = "clients with budgets or ranges of their own can be told apart by their answers"
        return Amplified(epsilon, False, why)
    most = math.log(clients / (16 * math.log(2 / delta))) if clients > 0 else -math.inf
    if epsilon > most:
        small = f"ε at most {most:.3g} for {clients} clients"
        what = small if most > 0 else f"many more than {clients} clients"
        return Amplified(epsilon, False, f"the theorem needs {what} at this δ")
    e = math.exp(epsilon)
    spread = 8 * math.sqrt(e * math.log(4 / delta) / clients) + 8 * e / clients
    bound = math.log1p((e - 1) / (e + 1) * spread)
    return Amplified(min(bound, epsilon), True, "messages are shuffled by somebody whom all trust")
