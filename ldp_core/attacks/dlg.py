"""Deep leakage from gradients as first published: image and label are optimised together."""

from typing import ClassVar

from ldp_core.attacks.base import Facts
from ldp_core.attacks.idlg import IDLG


class DLG(IDLG):
    label = "DLG: gradients matched, label sought"
    order = 6
    summary = (
        "Searches for image and label together whose gradient comes closest to the one that was sent; "
        "reading the label first, as iDLG does, succeeds more often."
    )
    formula = (
        r"\hat x,\hat y=\arg\min_{x,y}"
        r"\frac{\lVert\nabla_w\ell(x,\operatorname{softmax}y)-g\rVert^2}{\lVert g\rVert^2}"
    )
    reference = "Zhu, Liu and Han 2019; attacks, section 1"

    seeks_labels: ClassVar[bool] = True

    def suits(self, facts: Facts) -> float | None:
        found = super().suits(facts)
        return None if found is None else found - 0.1
