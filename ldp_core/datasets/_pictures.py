"""Pictures in folders, a ZIP or as loose files: what their paths say, and their decoding."""

import io
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._data_card import Seen
from ldp_core.datasets._found import Found, divided, held_out
from ldp_core.errors import DataUnavailable, InvalidInput, printable, shown
from ldp_core.limits import spelled

SIDE = 32
MOST_PIXELS = 50_000_000
"""Largest number of pixels that are unpacked, a larger JPEG's at a smaller scale; a few kilobytes may become
a gigabyte."""
MOST = f"{MOST_PIXELS / 1e6:.0f} million"
MOST_FILES, MOST_UNPACKED = 1000, 50_000_000
MOST_IMAGES, MOST_CLASSES, MOST_NAME = 500_000, 1000, 80
SUFFIXES = (".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp")
KINDS = "PNG, JPEG or WebP"
JUNK = ("__macosx", "@eadir", "thumbs.db", "desktop.ini")
"""Files that operating systems create, as those whose names begin with a dot."""
PARTS = {"train": "train", "training": "train", "test": "test", "testing": "test"} | dict.fromkeys(
    ("valid", "val", "validation", "dev"), "valid"
)
PARTED = re.compile(rf"(.+)[_-]({'|'.join(PARTS)})", re.IGNORECASE)
"""A class folder whose name says what its pictures are for, as in cats_train."""
FILES = (
    *("images", "image", "imgs", "img", "masks", "mask", "labels", "annotations", "jpegimages", "thumbnails"),
    *("segmentation", "segmentations", "depth", "rgb"),
)
LETTERS = re.compile(r"[^\W\d_]+")
"""Class of a picture outside any folder: the first letters of its name, as in cat.1.png."""
REMEDY = "put the pictures of each class in a folder of its own, directly or in train and test"
FOLDERS: tuple[str, ...] = ("class", "client/class", "group/class")
Files = Mapping[str, bytes]


class BadImage(DataUnavailable):
    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"the image {shown(name, 120)} {what}; remove or replace it and launch again")
        self.name, self.what = name, what


def hidden(name: str) -> bool:
    return name.startswith(".") or name.lower() in JUNK


def is_image(name: str) -> bool:
    return name.lower().endswith(SUFFIXES) and not hidden(name.rpartition("/")[2])


def is_picture(path: str) -> bool:
    return is_image(path) and not any(map(hidden, path.split("/")))


def arranged(paths: Sequence[str], seen: Seen) -> Found:
    """What the paths of all files, with / between folders, say of the pictures among them. InvalidInput: the
    end of a sentence that begins with the data's name.
    """
    split = {i: path.split("/") for i, path in enumerate(paths)}
    split = {i: parts for i, parts in split.items() if not any(map(hidden, parts))}
    found = {i: tuple(parts) for i, parts in split.items() if is_image(parts[-1])}
    folders = {folder for parts in found.values() for folder in parts[:-1]}
    rest = [parts for i, parts in split.items() if i not in found]
    if others := Counter(Path(parts[-1]).suffix.lower() or "no ending" for parts in rest if parts[-1]):
        named = ", ".join(map(shown, sorted(others)[:5]))
        seen.notes.append(f"left out: {spelled(others.total())} of another kind than {KINDS} ({named})")
    if lost := sorted({parts[-2] for parts in rest if len(parts) > 1} - folders)[:5] if found else ():
        seen.notes.append(f"left out: {', '.join(map(shown, lost))}, where no picture is read")
    if not found:
        raise InvalidInput(f"holds no {KINDS}; put class folders of such images there")
    if len(found) > MOST_IMAGES:
        raise InvalidInput(f"holds more than {spelled(MOST_IMAGES)} images; remove some")
    while len(roots := {parts[0] for parts in found.values()}) == 1 and min(map(len, found.values())) > 2:
        if roots.pop().lower() in PARTS:
            break
        found = {i: parts[1:] for i, parts in found.items()}
    _refuse_kinds_of_files(found)
    found, held = _parted(_parts_first(found), seen)
    found, outer = _deep(found, seen)
    label = {i: parts[-2] if len(parts) > 1 else _lettered(parts[0]) for i, parts in found.items()}
    classes = tuple(sorted({label[i] for i in found if i not in held}))
    if not 2 <= len(classes) <= MOST_CLASSES:
        one = f"shows {shown(classes[0])} alone" if len(classes) == 1 else f"holds {len(classes)} classes"
        raise InvalidInput(f"{one}; 2 to {MOST_CLASSES} kinds are needed: {REMEDY}")
    if bad := [name for name in classes if len(name) > MOST_NAME or not printable(name)]:
        raise InvalidInput(
            f"has a class called {shown(bad[0])}; rename it, with up to {MOST_NAME} characters"
        )
    if other := sorted({label[i] for i in held} - {*classes}):
        raise InvalidInput(f"tests on a class {shown(other[0])} that it does not train on; rename it")
    clients = tuple(sorted({found[i][0] for i in found if i not in held})) if outer == FOLDERS[1] else ()
    rows = np.array([*found], np.int64)
    number = {name: i for i, name in enumerate(classes)}
    y = np.array([number[label[i]] for i in found], np.int64)
    of = {name: i for i, name in enumerate(clients)}
    owners = np.array([of.get(parts[0], 0) for parts in found.values()]) if clients else None
    test = np.array([i in held for i in found])
    if not held:
        test = held_out(y, owners)
        seen.notes.append("a fifth of each class is held out")
    return divided("images", seen, classes, clients, rows, y, owners, test)


Paths = dict[int, tuple[str, ...]]


def _refuse_kinds_of_files(found: Paths) -> None:
    """Raise InvalidInput for folders that say how files belong together, not what is on them."""
    names = {parts[-2].lower() for parts in found.values() if len(parts) > 1}
    if len(names) > 1 and names <= {*FILES}:
        listed = " and ".join(map(shown, sorted(names)))
        raise InvalidInput(f"holds {listed}, which say nothing of what is seen; {REMEDY}")


def _parts_first(found: Paths) -> Paths:
    """Paths with train and test before the classes, also of cats/train and of cats_train."""
    deep = {i: parts for i, parts in found.items() if len(parts) > 2}
    if deep == found and {parts[1].lower() for parts in found.values()} <= PARTS.keys():
        return {i: (parts[1], parts[0], *parts[2:]) for i, parts in found.items()}
    cut = {i: PARTED.fullmatch(parts[0]) for i, parts in found.items() if len(parts) == 2}
    if len(cut) == len(found) and all(cut.values()):
        return {i: (one[2], one[1], found[i][1]) for i, one in cut.items() if one}
    return found


def _parted(found: Paths, seen: Seen) -> tuple[Paths, set[int]]:
    """Pictures below train, or all; and which of them are held out by their folder."""
    names: dict[str, str] = {}
    for name in sorted({parts[0] for parts in found.values() if len(parts) > 1}):
        if kind := PARTS.get(name.lower()):
            if kind in names:
                raise InvalidInput(f"holds two folders for {kind}, {names[kind]} and {name}; rename one")
            names[kind] = name
    if not names:
        return found, set()
    if "train" not in names:
        raise InvalidInput(
            f"holds {' and '.join(names.values())}, and no train; give it both, or classes alone"
        )
    beside = sorted({parts[0] for parts in found.values()} - {*names.values()})
    if beside:
        seen.notes.append(
            f"left out: the folders beside train and test ({', '.join(map(shown, beside[:5]))})"
        )
    ways = [kind for kind in ("test", "valid") if kind in names]
    held = seen.card.held_out or (ways[0] if ways else "a fifth")
    if held not in (*ways, "a fifth"):
        raise InvalidInput(f"has no folder for {held}, which its card holds out")
    if seen.card.held_out is None and "valid" in ways:
        rest = {way: "".join(f"; {one} is left out" for one in ways if one != way) for way in ways}
        those = [(f"{names[way]}{rest[way]}", {"held_out": way}) for way in ways]
        last = f"a fifth of train; {' and '.join(ways)} left out"
        seen.ask("which pictures are held out?", *those, (last, {"held_out": "a fifth"}))
    if away := sorted(names[way] for way in ways if way != held):
        seen.notes.append(f"left out: {' and '.join(away)}, which is neither trained on nor held out")
    keep = {names["train"], names.get(held)}
    cut = {i: parts[1:] for i, parts in found.items() if parts[0] in keep}
    return cut, {i for i, parts in found.items() if parts[0] == names.get(held)}


def _deep(found: Paths, seen: Seen) -> tuple[Paths, str]:
    """Pictures by class folder, those of clients with their client before it; and what the folders are."""
    depth, count = Counter(map(len, found.values())).most_common(1)[0]
    if depth > 3:
        raise InvalidInput(
            f"holds its images too deep, in {shown('/'.join(next(iter(found.values()))[:-1]))}; {REMEDY}"
        )
    if len(found) > count:
        where = "in no class" if depth > 1 else "in folders"
        seen.notes.append(
            f"left out: {spelled(len(found) - count)} images {where}, or at another depth than most"
        )
    found = {i: parts for i, parts in found.items() if len(parts) == depth}
    if depth == 1:
        seen.notes.append("classes are the letters with which the files' names begin")
    if depth < 3:
        return found, ""
    inner = Counter(name for _, name in {parts[:2] for parts in found.values()})
    outer = sorted({parts[0] for parts in found.values()})
    repeats = max(inner.values()) > 1
    first, some, within = (FOLDERS[1] if repeats else FOLDERS[0]), _some(outer), _some(sorted(inner))
    if seen.card.folders is None:
        says = {
            FOLDERS[1]: f"{some} are clients, {within} classes",
            FOLDERS[0]: f"{some} are classes",
            FOLDERS[2]: f"{within} are classes, of nobody in particular",
        }
        ways = sorted(says, key=lambda one: one != first)
        seen.ask("what are the folders?", *((says[one], {"folders": one}) for one in ways))
    chosen = seen.card.folders or first
    if chosen == FOLDERS[0]:
        found = {i: (parts[0], parts[2]) for i, parts in found.items()}
    return found, chosen


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(shown, names[:3])) + (" …" if len(names) > 3 else "")


def _lettered(name: str) -> str:
    if not (word := LETTERS.match(name)):
        raise InvalidInput(f"{shown(name)} does not say what it shows; put it in a folder with that name")
    return word[0]


def decoded(file: Path | BinaryIO, name: str) -> NDArray[np.uint8]:
    """Image as (3, SIDE, SIDE): centre square, scaled, in colour; from a PNG, JPEG or WebP, whatever its
    ending. `BadImage`, by this name, if it is none, damaged or too large.
    """
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(file, formats=("PNG", "JPEG", "WEBP")) as image:
                width, height = image.size
                if width * height > MOST_PIXELS and image.format == "JPEG":
                    image.draft("RGB", (8 * SIDE, 8 * SIDE))
                if image.size[0] * image.size[1] > MOST_PIXELS:
                    raise BadImage(name, f"has {width} × {height} pixels, over {MOST}")
                # of 16 bits a colour Pillow would drop eight without a word, and of grey refuse to
                if image.mode.startswith(("I", "F")) or ";16" in str(getattr(image, "tile", "")):
                    raise BadImage(name, "has more than 8 bits a channel")
                ImageOps.exif_transpose(image, in_place=True)
                white = Image.new("RGBA", image.size, "white")
                opaque = Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")
                square = ImageOps.fit(opaque, (SIDE, SIDE), Image.Resampling.BILINEAR)
    except Image.DecompressionBombError:
        raise BadImage(name, f"has over {MOST} pixels") from None
    except MemoryError:
        raise BadImage(name, "needs more memory than may be taken") from None
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        raise BadImage(name, f"cannot be read as a {KINDS} ({type(error).__name__})") from None
    return np.asarray(square).transpose(2, 0, 1)


def unpacked(files: Files) -> dict[str, Callable[[], bytes]]:
    """Uploaded files, or those within a ZIP, by path with / between folders. InvalidInput: the end of a
    sentence that begins with the data's name.
    """
    found: dict[str, Callable[[], bytes]] = {}
    for name, data in files.items():
        entries = _of_zip(data) if name.lower().endswith(".zip") else [(name, lambda data=data: data)]
        for path, read in entries:
            path = path.replace("\\", "/").removeprefix("./")
            if path in found:
                raise InvalidInput(f"holds {shown(path)} twice; rename one")
            if ".." not in path.split("/"):
                found[path] = read
    return found


def _of_zip(data: bytes) -> Iterator[tuple[str, Callable[[], bytes]]]:
    try:
        archive = ZipFile(io.BytesIO(data))
        entries = archive.infolist()
    except (BadZipFile, EOFError, ValueError, NotImplementedError, OSError):
        raise InvalidInput("is a ZIP that cannot be read, or one with a password") from None
    if len(entries) > MOST_FILES:
        raise InvalidInput(f"is a ZIP of {len(entries)} entries; at most {MOST_FILES} are taken")
    if sum(entry.file_size for entry in entries) > MOST_UNPACKED:
        raise InvalidInput(f"is a ZIP that unpacks to more than {MOST_UNPACKED / 1e6:.0f} MB")
    # by other methods a kilobyte becomes a gigabyte before the first byte can be read
    if any(entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for entry in entries):
        raise InvalidInput("is a ZIP packed in a rare way; pack it by the usual one (deflate)")

    def read(entry: Any) -> bytes:
        try:
            with archive.open(entry) as opened:  # no more than it says
                return opened.read(entry.file_size)
        except (BadZipFile, EOFError, RuntimeError, ValueError, NotImplementedError, OSError, zlib.error):
            raise InvalidInput("is a ZIP that cannot be read, or one with a password") from None

    for entry in entries:
        if not entry.filename.endswith(("/", "\\")):
            yield entry.filename, partial(read, entry)
