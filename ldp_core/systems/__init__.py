"""Published systems: what each sets in an experiment (`base.System`), and its own part in a round
(`base.Participation`, called by `federated.round`). `tells` declares what is sent in clear, for which
`composition.spending` gives no guarantee. A new system is one new file.
"""

from ldp_core.component import Registry
from ldp_core.systems.base import Encoded, Participation, Public, Release, Sent, System

registry: Registry[System] = Registry(__name__, System, "the system's name")
names = registry.names
get = registry.get
