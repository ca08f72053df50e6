"""What is promised to each client: composition of losses, and the ledger."""

from ldp_core.accounting.compose import compose
from ldp_core.accounting.ledger import DELTA, ledger

__all__ = ["DELTA", "compose", "ledger"]
