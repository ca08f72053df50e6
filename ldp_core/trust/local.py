"""No trust: each client perturbs its upload before it is sent."""

from ldp_core.trust.base import Trust


class Local(Trust):
    label = "no one"
    synonyms = ("no_one", "no one")
    order = 1
    summary = "Each client adds its own noise; the server sees each upload with its name."
    reference = "Kasiviswanathan et al. 2011; Duchi, Jordan and Wainwright 2013"
    against = "server"
    sees = "The server sees every client's upload, with the client's name."
    breaks = "Nothing that others do: only a client's own program could."
