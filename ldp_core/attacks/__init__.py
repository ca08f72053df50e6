"""What an honest-but-curious server can make of an upload.

An attacker sees an `Observation` and nothing else: the uploads, the previous global model, and the
public experiment. It cannot reach the data (tests/test_layers.py).
"""

from ldp_core.attacks.base import Attacker, Observation
from ldp_core.component import Registry

registry: Registry[Attacker] = Registry(__name__, Attacker, "the attacker's name")
names = registry.names
get = registry.get

__all__ = ["Attacker", "Observation", "get", "names", "registry"]
