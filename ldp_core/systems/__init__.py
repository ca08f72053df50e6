"""Published systems: what each sets in an experiment, and its own part in a round.

A system combines existing parts (mechanism, aggregator, selection, …) and adds what is its own. `base.System`
fills an experiment; `base.Participation` is what clients and server do beyond the common round, called by
`federated.round` (and by `federated.evaluate` for clients' own models). `tells` declares what is sent in
clear, for which `accounting.spending` gives no guarantee. A new system is one new file.
"""

from ldp_core.component import Registry
from ldp_core.systems.base import Encoded, Participation, Public, Release, Sent, System

registry: Registry[System] = Registry(__name__, System, "the system's name")
names = registry.names
get = registry.get
