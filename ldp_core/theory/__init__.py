"""What can be said before any training, from public facts alone.

`clients` is each client's own noise, `server` what is left of it in the aggregate, and `turnout` who takes
part; `feasibility` is the verdict, in the scope that `measured` states; `clear` is what is sent in clear.
"""

from ldp_core.theory.clear import sent_in_clear
from ldp_core.theory.clients import client_variance, worst_variance
from ldp_core.theory.feasibility import Outlook, outlook
from ldp_core.theory.server import ServerNoise, client_weights, server_noise, server_variance
