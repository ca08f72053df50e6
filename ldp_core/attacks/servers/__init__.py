"""Servers, one file each: what they send to a client whose upload they attack, honestly or made for it.

>>> from ldp_core.attacks import servers
>>> [name for name in servers.registry.labels() if servers.get(name).reader]
['imprint', 'trap', 'silencing']
"""

from ldp_core.attacks.servers.base import Server, Task
from ldp_core.component import Registry
from ldp_core.limits import number

registry: Registry[Server] = Registry(__name__, Server, "the server's name")
get = registry.get
PROTOCOL = (
    "This is by a server that keeps to the protocol: one that sends a model made for the attack may get more."
)
LIE = "The promise counts on no honest server, so it is the same."


def how_sent(server: Server) -> str:
    """Sentences on what attacks by a server say."""
    if not server.reader:
        return PROTOCOL
    most = "" if server.within is None else f" Clients refuse weights beyond ±{number(server.within, 4)}."
    return f"The server lies. {server.summary}{most} {LIE}"
