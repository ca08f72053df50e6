"""Predictions before training, from public facts.

`clients` gives each client's noise, `server` the noise of the aggregate, `turnout` the participants;
`learnability` predicts whether training succeeds, within the scope of `measured`; `clear` lists what is sent
in clear.
"""

from ldp_core.theory.clear import sent_in_clear
from ldp_core.theory.clients import client_variance, worst_error, worst_variance
from ldp_core.theory.learnability import Outlook, outlook
from ldp_core.theory.server import ServerNoise, client_weights, server_noise, server_variance
