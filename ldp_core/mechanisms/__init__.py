"""Local mechanisms: what a client does to a value before the server sees it.

>>> from ldp_core import mechanisms
>>> duchi = mechanisms.get("duchi")
>>> round(duchi.variance(0.0, epsilon=1.0, low=-1.0, high=1.0), 4)
4.6827
"""

from ldp_core.component import Registry
from ldp_core.mechanisms.base import Difference, Form, Mechanism, Use

registry: Registry[Mechanism] = Registry(__name__, Mechanism, "the mechanism's name")
names = registry.names
get = registry.get

__all__ = ["Difference", "Form", "Mechanism", "Use", "get", "names", "registry"]
