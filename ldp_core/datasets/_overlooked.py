"""Messages on files of a folder that are no images of its classes."""

import os
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from ldp_core.errors import DataUnavailable, shown
from ldp_core.limits import spelled

SUFFIXES = (".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp")
KINDS = "PNG, JPEG or WebP"
JUNK = ("__macosx", "@eadir", "thumbs.db", "desktop.ini")
"""Files that operating systems create, as those whose names begin with a dot."""
MOST_LOOKED_AT, MOST_NAMED = 2000, 5


def hidden(name: str) -> bool:
    return name.startswith(".") or name.lower() in JUNK


def is_image(name: str) -> bool:
    return name.lower().endswith(SUFFIXES) and not hidden(name)


def subfolders(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if entry.is_dir() and not hidden(entry.name))


def note(entry: os.DirEntry[str], others: Counter[str]) -> None:
    """Count a non-image entry of a class folder by its ending."""
    if not hidden(entry.name):
        others["folder" if entry.is_dir() else Path(entry.name).suffix.lower() or "no ending"] += 1


def left_out(folder: Path, read: Collection[str], others: Counter[str]) -> str:
    """Sentence on files of a folder that are not read; "" if all are."""
    said = []
    if others:
        named = ", ".join(map(shown, sorted(others)[:MOST_NAMED]))
        said.append(f"{spelled(others.total())} of another kind than {KINDS} ({named})")
    if beside := [name for name in subfolders(folder) if name not in read]:
        said.append(f"the folders beside train and test ({', '.join(map(shown, beside[:MOST_NAMED]))})")
    with os.scandir(folder) as entries:
        if loose := sum(is_image(entry.name) for entry in entries):
            said.append(f"{spelled(loose)} image{'s' * (loose > 1)} in no class")
    return f"left out: {'; '.join(said)}" if said else ""


def misplaced(folder: Path) -> DataUnavailable | None:
    """Why a folder is no data set, by where its images lie; None if some lie in class folders."""
    beside, deeper, seen = 0, "", 0
    for place, inner, files in os.walk(folder):
        inner[:] = sorted(name for name in inner if not hidden(name))
        below = Path(place).relative_to(folder).parts
        images = sum(map(is_image, files))
        if images and len(below) == 1:
            return None
        beside += 0 if below else images
        deeper = "/".join(below) if images and below else ""
        seen += len(files) + len(inner)
        if deeper or seen > MOST_LOOKED_AT:
            break
    if beside:
        remedy = "put the images of each class in a folder of its own"
        return wrong(
            folder.name, f"holds {spelled(beside)} images beside one another, and no classes", remedy
        )
    if deeper:
        remedy = "they belong in class folders directly in it, or in train and test"
        return wrong(folder.name, f"holds its images too deep, in {shown(deeper)}", remedy)
    return wrong(folder.name, f"holds no {KINDS}", "put class folders of such images there")


def wrong(name: str, what: str, remedy: str) -> DataUnavailable:
    return DataUnavailable(f"the folder of images {shown(name)} {what}; {remedy}")
