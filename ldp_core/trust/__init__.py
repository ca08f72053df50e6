"""Whom clients must trust: who sees what of their uploads, and where the noise comes from."""

from ldp_core.component import Registry
from ldp_core.trust.base import Trust

registry: Registry[Trust] = Registry(__name__, Trust, "the trust's kind")
names = registry.names
get = registry.get
