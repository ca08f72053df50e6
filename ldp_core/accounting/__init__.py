"""What is promised to each client: composition of losses, the ledger, and an audit of the claim."""

from ldp_core.accounting.compose import compose
from ldp_core.accounting.empirical import Audit, audit, exact_epsilon
from ldp_core.accounting.ledger import everyone, ledger, promise
from ldp_core.accounting.spending import DELTA, Spending

__all__ = ["DELTA", "Audit", "Spending", "audit", "compose", "everyone", "exact_epsilon", "ledger", "promise"]
