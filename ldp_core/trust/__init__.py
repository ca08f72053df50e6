"""Trust models: who sees the clients' uploads, and who adds the noise."""

from ldp_core.component import Registry
from ldp_core.trust.base import Piece, Population, Terms, Trust

registry: Registry[Trust] = Registry(__name__, Trust, "the trust's kind")
names = registry.names
get = registry.get
