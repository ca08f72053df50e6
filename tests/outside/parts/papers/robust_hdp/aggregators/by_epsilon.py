"""Weights by the clients' ε, with which Robust-HDP and PFA compare themselves."""

from ldp_core.aggregators.base import Decision, RoundClients, SeesUploads
from ldp_core.mechanisms.base import Floats


class ByEpsilon(SeesUploads):
    label = "by ε"
    summary = "A client with four times the ε counts four times as much."
    formula = r"w_i\propto\varepsilon_i"
    reference = "Malekmohammadi, Yu and Cao 2024; Liu, Lou, Xiong, Liu and Meng 2022"

    def decide(self, uploads: Floats, clients: RoundClients) -> Decision:
        return Decision(clients.epsilon)
