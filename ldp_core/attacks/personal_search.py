"""Gradient inversion behind personal layers, for networks of any kind.

For a single image, whatever layers follow the network, the last bias changes by the slopes of the loss with
respect to the scores only. These are read off, so a and b after the network need not be known, and only the
image is optimised. Before the network, ax + b is taken at its public start: through a convolution its change
is small and cannot be inferred (`ldp_core.systems.pd_ldpfl`).
"""

from typing import Annotated, ClassVar

from pydantic import Field

from ldp_core.attacks.base import Effort, Facts
from ldp_core.attacks.cosine_tv import EDGES, STEPS, CosineTV
from ldp_core.attacks.idlg import IDLG
from ldp_core.attacks.shared.search import Search
from ldp_core.fields import Whole
from ldp_core.limits import PRIOR, SEARCH_STEPS
from ldp_core.models.base import Model, Shape


class PersonalSearch(IDLG):
    label = "Searches behind personal layers"
    order = 10
    summary = (
        "Reads off the last bias how the loss depends on each score, which leaves nothing unknown behind the "
        "network, and searches for the image that explains the rest."
    )
    formula = (
        r"\hat x=\arg\min_x\operatorname{dist}\bigl(\nabla_w\langle\delta,f_w(a_0x+b_0)\rangle,g\bigr),"
        r"\quad \delta=g_{\text{last bias}}"
    )
    reference = "attacks, sections 4 and 9: personal layers; the rule for δ is the chain rule"
    also_knows = "where the client's personal layers began"
    cannot = (
        "What a client's layer before a convolution has become is not worked out, as of its slopes only sums "
        "over positions are sent: an image comes back at the contrast that this layer has given it. Through "
        "ReLU and pooling it gets a likeness; and it finds one image in the upload of one step."
    )

    behind_layers: ClassVar[bool] = True

    iterations: Annotated[int, Whole(SEARCH_STEPS)] = Field(STEPS, description="steps of the search, at most")

    @classmethod
    def unfit(cls, model: Model, shape: Shape, classes: int) -> str:
        return super(IDLG, cls).unfit(model, shape, classes)  # kinks are no reason: see `way`

    def way(self, model: Model, shape: Shape, classes: int) -> Search:
        if not IDLG.unfit(model, shape, classes):
            return self
        prior = EDGES * self.prior / PRIOR.default
        return CosineTV(iterations=self.iterations, restarts=self.restarts, prior=prior)

    def effort(self, facts: Facts) -> Effort:
        way = self.way(facts.model, facts.shape, facts.classes)
        return Effort(gradients=way.each * self.iterations * self.restarts)

    def suits(self, facts: Facts) -> float | None:
        found = self.way(facts.model, facts.shape, facts.classes)
        fit = super().suits(facts) if found is self else found.suits(facts)
        return None if fit is None or not facts.kept else fit + 0.2
