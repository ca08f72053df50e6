"""What can be said before any training, from public facts alone: noise, shares, what is sent in clear."""

from ldp_core.theory.clear import InClear, sent_in_clear
from ldp_core.theory.clients import client_variance, worst_variance
from ldp_core.theory.feasibility import Outlook, outlook
from ldp_core.theory.server import ServerNoise, client_weights, nobody, server_noise, server_variance

__all__ = [
    "InClear",
    "Outlook",
    "ServerNoise",
    "client_variance",
    "client_weights",
    "nobody",
    "outlook",
    "sent_in_clear",
    "server_noise",
    "server_variance",
    "worst_variance",
]
