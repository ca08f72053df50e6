"""Traffic of a round (figure 5)."""

from ldp_core.cost.traffic import traffic
from ldp_core.experiment import Experiment, changed, plan
from ldp_core.papers.arms import Load


def bits(experiment: Experiment, load: Load) -> float:
    """What clients send in a round, as a share of what they send without a mechanism."""
    plain = changed(experiment, {"mechanism.name": "none", "form": "corrected"})
    return traffic(plan(experiment)).packed / traffic(plan(plain)).packed
