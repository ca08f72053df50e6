"""A server that keeps to the protocol, and is only curious."""

from ldp_core.attacks.servers.base import Server


class Honest(Server):
    label = "Keeps to the protocol"
    order = 1
    sizes = ()
    summary = "It sends the model that it should, and analyses what it receives."
