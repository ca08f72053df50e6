"""Fashion-MNIST: 70 000 pictures of clothes of 28 × 28 pixels, through torchvision."""

from ldp_core.datasets._idx import Idx


class FashionMNIST(Idx):
    """Harder than MNIST at the same size; in torchvision's own layout below the data folder."""

    label = "Fashion-MNIST (28×28)"
    order = 4
    summary = (
        "70 000 pictures of clothes, 28 × 28 pixels in grey, from all five papers; 31 MB, if not here yet."
    )
    reference = "Xiao, Rasul and Vollgraf 2017; torchvision.datasets.FashionMNIST"

    class_names = (
        "T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag",
        "ankle boot",
    )  # fmt: skip
    download = 30_878_645
    files = "FashionMNIST/raw"
    also_from = (
        "Debian's package dataset-fashion-mnist has its four files, to be unpacked into FashionMNIST/raw of "
        "the data folder"
    )
