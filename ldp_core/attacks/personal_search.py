"""The attacker who searches behind what a client keeps: personal layers around a network of any kind.

A single image's loss, whatever layers come after the network, moves the last bias by its slopes by the scores
and by nothing else. So these are read, and no a or b after the network has to be known; of the gradient then
only the image is sought. Before the network ax + b is as everybody knows it began: through a convolution it
moves little, and cannot be followed (`ldp_core.systems.personal_layers`).
"""

from __future__ import annotations

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
    """iDLG that follows the gradient's direction where the network has kinks."""

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
