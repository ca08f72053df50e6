"""Trust models: who sees the clients' uploads, and who adds the noise."""

from ldp_core.component import Registry
from ldp_core.trust._linking import GROUPS as GROUPS
from ldp_core.trust._linking import linked as linked
from ldp_core.trust.base import Trust

registry: Registry[Trust] = Registry(__name__, Trust, "the trust's kind")
names = registry.names
get = registry.get
