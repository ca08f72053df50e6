"""Values that the server receives without noise, which no ε covers."""

from ldp_core.aggregators.base import WeighsByNoise
from ldp_core.experiment import Plan
from ldp_core.mechanisms import InClear


def sent_in_clear(plan: Plan) -> tuple[InClear, ...]:
    experiment = plan.experiment
    mechanism, aggregator = plan.randomiser, experiment.aggregator
    hears = "the shuffler" if experiment.trust.against == "shuffled heap" else "the server"
    trusted = InClear("every upload", "the trust in the server", "it adds the noise itself")
    found = [
        *([trusted] if experiment.trust.against == "model" else []),
        *mechanism.in_clear(),
        InClear("that a client takes part in a round", "the connection", f"{hears} sees who sends"),
    ]
    if mechanism.role == "identity":
        return tuple(found)
    tells = plan.tells
    if tells.clear and experiment.system:
        share = f"on average at least {tells.clear:.0f} of the {plan.uploaded} weights of an upload"
        found.append(InClear(share, f"the system “{experiment.system.label}”", tells.why))
    weights = isinstance(aggregator, WeighsByNoise)
    agreed = "client and server agree on them, and the answers show them"
    why = "the server weights by them" if weights else agreed
    limit = "norm" if mechanism.region == "ball" else "safe range"
    found.append(InClear(f"each client's ε and {limit}", "the agreement on them", why))
    if experiment.unit == "record":
        held = "a record is exchanged for another, never added"
        found.append(InClear("how many records each client holds", "the unit of privacy", held))
    if read := aggregator.reads_in_clear:
        found.append(InClear(read, f"the aggregator “{aggregator.label}”", "it weights by that"))
    return tuple(found)
