"""What is promised to each client: composition of losses, the ledger, and an audit of the claim."""

from ldp_core.accounting.compose import compose
from ldp_core.accounting.empirical import Audit, audit, exact_epsilon
from ldp_core.accounting.ledger import SHARE, everyone, ledger, promise, within
from ldp_core.accounting.spending import DELTA, Spending
from ldp_core.accounting.table import Told, entry_of, told

__all__ = [
    "DELTA",
    "SHARE",
    "Audit",
    "Spending",
    "Told",
    "audit",
    "compose",
    "entry_of",
    "everyone",
    "exact_epsilon",
    "ledger",
    "promise",
    "told",
    "within",
]
