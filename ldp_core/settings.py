"""All environment variables of the operator: how they are parsed, their table, and what training may not see.

The server and every command refuse invalid values before they start; `doctor` reports them, and
`doctor --settings` prints the table.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import Any, Generic, TypeVar

from ldp_core.errors import InvalidInput, one_of, shown

T = TypeVar("T")
UNREAD = re.compile(r"^[\"']|[\"']$|\$\w+|\$\{|%\w+%" + (r"|^[A-Za-z]:[\\/]" if os.name == "posix" else ""))
"""Quotes, variables and, where there are none, drives: a folder of that name would be made."""
Read = TypeVar("Read", covariant=True)
SECRET = re.compile(
    r"TEACHER|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(API|ACCESS|PRIVATE)_?KEY", re.I
)
"""Pattern of variables' names whose values are withheld."""
OF_THE_CLUSTER = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
"""Exceptions, which a process that trains on a cluster needs."""


@dataclass(frozen=True)
class SettingReader(Generic[Read]):
    wanted: str
    """What a text must be, as in “must be …”."""
    read: Callable[[str], Read]
    """Raises ValueError, possibly with a reason that completes the sentence."""


@dataclass(frozen=True)
class Setting(Generic[T]):
    name: str
    default: T
    reader: SettingReader[T]
    about: str
    """Description in one sentence."""
    usual: str = ""
    """Default in words, if it is not constant."""

    def value(self) -> T:
        """Value from the environment, or the default; raises InvalidInput for an invalid one."""
        text = os.environ.get(self.name, "").strip()
        if not text:
            return self.default
        try:
            return self.reader.read(text)
        except ValueError as error:
            why = f", {error}" if error.args else ""
            raise InvalidInput(f"{self.name} must be {self.reader.wanted}; got {shown(text)}{why}") from None

    @property
    def unset(self) -> str:
        if self.usual or self.default is None:
            return self.usual
        return f"{self.default:g}" if isinstance(self.default, int | float) else str(self.default)


def number(least: float, most: float, endless: bool = False) -> SettingReader[float]:
    """A number within limits; `inf` stands for no limit if it may be `endless`."""

    def read(text: str) -> float:
        value = most if endless and _float(text) == inf else _float(text)
        return _if(least <= value <= most, value)

    return SettingReader(f"a number from {least:g} to {most:g}{', or inf' if endless else ''}", read)


def whole(least: int, most: int) -> SettingReader[int]:
    """A whole number within limits; 2.0 counts as one."""

    def read(text: str) -> int:
        value = _float(text)
        return int(_if(least <= value <= most and value % 1 == 0, value))

    return SettingReader(f"a whole number from {least} to {most}", read)


def word(words: tuple[str, ...], gone: Mapping[str, str] | None = None) -> SettingReader[str]:
    """One of some words; `gone` says of earlier ones what takes their place."""

    def read(text: str) -> str:
        if instead := (gone or {}).get(text):
            raise ValueError(f"which is gone: {instead}")
        return _if(text in words, text)

    return SettingReader(one_of(words), read)


def form(pattern: re.Pattern[str], said: str) -> SettingReader[str]:
    return SettingReader(said, lambda text: _if(pattern.fullmatch(text), text))


def folder(there: bool = False) -> SettingReader[Path]:
    """A path, with `~` expanded, that exists if it must be `there`."""

    def read(text: str) -> Path:
        if unread := UNREAD.search(text):
            raise ValueError(f"and nothing here reads {shown(unread[0])} as a shell does: write the path out")
        try:
            found = Path(text).expanduser().absolute()
        except RuntimeError:
            raise ValueError("and the home of that user is not known here") from None
        if there and not found.is_dir():
            raise ValueError("where no folder is")
        return found

    return SettingReader("a folder", read)


def _if(fits: object, value: T) -> T:
    if not fits:
        raise ValueError
    return value


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan


ANCESTOR = r"https?://(\*\.)?[a-z0-9.-]+(:\d{1,5})?"
ANYTHING = form(re.compile(r".+", re.DOTALL), "a text")

RUNS_DIR = Setting[Path | None](
    "EPSILON_RUNS_DIR", None, folder(),
    "Where drafts, the queue and the records of runs lie: on a disk of this machine.",
    "the user's data folder",
)  # fmt: skip
DATA_DIR = Setting[Path | None](
    "EPSILON_DATA_DIR", None, folder(),
    "Where downloaded data sets and folders of images lie.",
    "the user's data folder",
)  # fmt: skip
PARTS_DIR = Setting[Path | None](
    "EPSILON_PARTS_DIR", None, folder(there=True),
    "Mechanisms and other parts of one's own, a file each: `mechanisms/NAME.py` (see `HOW_TO_ADD.md`).",
)  # fmt: skip
DATA_MIRROR = Setting[str](
    "EPSILON_DATA_MIRROR", "", form(re.compile(r"https?://\S+"), "a web address, like https://data.example.org"),
    "A copy of the data sets, asked first: for `mnist/train-images-idx3-ubyte.gz` and so on.",
)  # fmt: skip
QUOTA_GB = Setting[float](
    "EPSILON_QUOTA_GB", 5.0, number(1e-6, 1e9, endless=True),
    "What all records may take; the oldest that are not pinned go first.",
)  # fmt: skip
SLOTS = Setting[int | None](
    "EPSILON_SLOTS", None, whole(1, 64), "Jobs that train at the same time.", "one a GPU, or for two cores"
)  # fmt: skip
MEMORY_GB = Setting[float | None](
    "EPSILON_MEMORY_GB", None, number(1e-6, 1e9, endless=True),
    "Memory that one job may fill where there is no GPU; one that wants more ends with a sentence.",
    "its share of four fifths",
)  # fmt: skip
MOST_HOURS = Setting[float](
    "EPSILON_MOST_HOURS", 24.0, number(1e-6, 1e6),
    "A job that would take longer, by this machine's own rates, is refused before it begins.",
)  # fmt: skip
ENGINE = Setting[str](
    "EPSILON_ENGINE", "auto", word(("auto", "batched"), {"processes": "one process trains all models"}),
    "How local training is computed, in place of the quickest way.",
)  # fmt: skip
OWN_DATA_HOURS = Setting[float](
    "EPSILON_OWN_DATA_HOURS", 24.0, number(0, 10_000),
    "How long tables and pictures of a visitor's own are kept for that visitor alone; with 0 none are taken.",
)  # fmt: skip
TEACHER = Setting[str](
    "EPSILON_TEACHER", "", ANYTHING, "A secret: typed on Start, it lets a browser stop and delete all runs."
)  # fmt: skip
PUBLIC_URL = Setting[str](
    "EPSILON_PUBLIC_URL", "", form(re.compile(r"https?://\S+"), "a web address, like https://studio.example.org"),
    "Where other machines reach this server: what a class types and scans.",
    "as the teacher's browser does",
)  # fmt: skip
ADDRESS_HEADER = Setting[str](
    "EPSILON_ADDRESS_HEADER", "",
    form(re.compile(r"[A-Za-z0-9-]{1,60}"), "a header's name, like X-Forwarded-For"),
    "The header in which a proxy passes a visitor's address on; without a proxy leave it out, or visitors "
    "write it themselves.",
)  # fmt: skip
PAGES = Setting[int](
    "EPSILON_PAGES", 400, whole(1, 100_000),
    "Pages open at a time, half of them from one address; fewer where the system gives a process few open "
    "files.",
)  # fmt: skip
FRAME_ANCESTORS = Setting[str](
    "EPSILON_FRAME_ANCESTORS", "",
    form(
        re.compile(rf"{ANCESTOR}(\s+{ANCESTOR})*", re.IGNORECASE),
        "addresses between spaces, like https://moodle.example.org",
    ),
    "Sites that may embed the pages, beside this one.",
)  # fmt: skip
RAY_ADDRESS = Setting[str](
    "EPSILON_RAY_ADDRESS", "",
    form(re.compile(r"\S+:\d{1,5}"), "HOST:PORT, as `ray start` prints it, like 10.0.0.5:6379"),
    "A Ray cluster that trains sweeps and what Tune asks; its token, if it has one, in RAY_AUTH_TOKEN.",
)  # fmt: skip

SETTINGS: tuple[Setting[Any], ...] = tuple(one for one in globals().values() if isinstance(one, Setting))

OF_NGINX = "limits of connections are in assets/deploy/nginx.conf"
GONE = {
    "EPSILON_CACHE_DIR": "compiled kernels lie below XDG_CACHE_HOME",
    "EPSILON_CONNECTIONS": OF_NGINX,
    "EPSILON_CONNECTIONS_EACH": OF_NGINX,
    "EPSILON_CORES": "a job has its share of all cores; set EPSILON_SLOTS",
    "EPSILON_DRAFTS_MB": "drafts may take 200 MB",
    "EPSILON_IDLE_MINUTES": "a page stays open; EPSILON_PAGES limits their number",
    "EPSILON_PAGES_EACH": "one address may have half of EPSILON_PAGES",
    "EPSILON_RAY_TOKEN": "set RAY_AUTH_TOKEN, which Ray itself reads",
    "EPSILON_SILENT_SECONDS": "a connection may say nothing for 15 seconds",
    "EPSILON_UPLOADS_EACH_MB": "a page may have 20 MB of uploads",
    "EPSILON_UPLOADS_MB": "all pages together may have 100 MB of uploads",
    "EPSILON_WAITING": "200 jobs may wait in all",
    "EPSILON_WAITING_ADDRESS": "100 jobs of one address may wait",
    "EPSILON_WAITING_EACH": "5 jobs of one person may wait",
    "EPSILON_WORKER_IDLE_SECONDS": "a worker without a job ends after 600 seconds",
}
"""Settings of earlier versions, with what takes their place."""
SLOT_CORES = Setting[int | None]("EPSILON_SLOT_CORES", None, whole(1, 10_000), "Cores of a job's processes.")
"""No operator's: by it a worker tells its processes their share."""
INTERNAL = (SLOT_CORES.name, "EPSILON_CI", "EPSILON_TEST_ALL")


def given_and_gone() -> list[str]:
    """A sentence for each variable of the environment that is set and has no effect any more."""
    return [
        f"{name} is no setting any more: {instead}" for name, instead in GONE.items() if os.environ.get(name)
    ]


def refuse_nonsense() -> None:
    """Raise InvalidInput for the first setting that is invalid."""
    for one in SETTINGS:
        one.value()


def markdown() -> str:
    rows = [f"| `{one.name}` | {one.unset or '–'} | {one.reader.wanted} | {one.about} |" for one in SETTINGS]
    return "\n".join(["| variable | default | takes | what it sets |", "|---|---|---|---|", *rows])


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Environment for a training process, whose code or cluster may be untrusted."""
    needed = OF_THE_CLUSTER if environment.get(RAY_ADDRESS.name, "").strip() else ()
    return {name: text for name, text in environment.items() if name in needed or not SECRET.search(name)}
