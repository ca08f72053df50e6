"""The command `data`: list data sets, or download and verify one."""

from collections.abc import Iterator
from pathlib import Path

from ldp_core import datasets
from ldp_core.datasets import Dataset, Report
from ldp_core.datasets.folders import ImageFolder
from ldp_core.errors import DataUnavailable, on_one_line

LOOKED_INTO = 5000
"""Number of a folder's files that are opened for the list, which takes seconds."""


def data(asked: str | None, report: Report) -> int:
    """List all data sets; or download one and verify each of its files."""
    root = datasets.data_dir()
    if asked:
        source = datasets.get(asked)
        source.fetch(root, report)
        source.check(root, report)
        return 0
    print(f"in {root}")
    for name in datasets.registry.labels():
        source = datasets.get(name)
        state = "here" if source.there(root) else f"{source.download / 1e6:.1f} MB to download"
        count = source.train_size + source.test_size
        print(f"{name:<24} {count:>8,} samples  {source.classes:>4} classes  {state}")
        for sentence in _noted(source, root, report):
            print(f"    {on_one_line(sentence)}")
    for sentence in datasets.registry.unusable():
        print(sentence)
    return 0


def _noted(source: Dataset, root: Path, report: Report) -> Iterator[str]:
    if source.left_out:
        yield source.left_out
    if not isinstance(source, ImageFolder):
        return
    if source.train_size + source.test_size > LOOKED_INTO:
        yield f"its images were not looked into: python -m ldp_core data {source.name} does"
        return
    try:
        source.check(root, report)
    except DataUnavailable as error:
        yield str(error)
