"""Published systems by name: what each sets in an experiment, and its own part in a round.

A system composes what is there (mechanism, aggregator, selection, …) and adds only what is its own.
`base.System` fills an experiment; its `base.Participation` is what clients and server do beyond the common
round, called by `federated.round` (and by `federated.evaluate`, where clients have models of their own).
What a system sends in clear it declares in `tells`; `accounting.spending` makes “no guarantee” of it. A new
system is one file here.
"""

from ldp_core.component import Registry
from ldp_core.systems.base import Encoded, Participation, Public, Release, Sent, System

registry: Registry[System] = Registry(__name__, System, "the system's name")
names = registry.names
get = registry.get
