"""Predictions before training.

From public facts: `clients` gives each client's noise, `server` the noise of the aggregate, `turnout` the
participants, `learnability` the words of a verdict; `way` what each round sends, noised or in clear. Only
`outlook` may train, where noise alone does not decide.
"""

from ldp_core.experiment import Experiment, plan
from ldp_core.theory.clients import client_variance, sent_in_clear, worst_variance
from ldp_core.theory.learnability import Outlook, certain
from ldp_core.theory.server import ServerNoise, client_weights, server_noise, server_variance


def outlook(experiment: Experiment) -> Outlook:
    """Whether training succeeds, from the noise alone or from a trial in this process, which loads torch; for
    what is stored, and for servers, `ldp_core.runs.pilots`. Errors as for `Simulation`, or DataUnavailable.
    """
    if found := certain(plan(experiment)):
        return found
    from ldp_core.pilot import pilot
    from ldp_core.runs.lockstep import load

    return pilot(experiment, load(experiment.dataset))
