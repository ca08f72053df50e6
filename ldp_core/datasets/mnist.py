"""MNIST: 70 000 handwritten digits of 28 × 28 pixels, through torchvision."""

from ldp_core.datasets._idx import Idx


class MNIST(Idx):
    """The papers' MNIST, in torchvision's own layout below the data folder."""

    label = "MNIST (28×28)"
    order = 3
    summary = "70 000 handwritten digits of 28 × 28 pixels, the papers' own data; 12 MB, if not here yet."
    reference = "LeCun, Cortes and Burges 1998; torchvision.datasets.MNIST"

    class_names = tuple("0123456789")
    download = 11_594_722
    files = "MNIST/raw"
