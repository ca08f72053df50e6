"""All environment variables of this program; `doctor --settings` prints them."""

import re
from pathlib import Path
from typing import Any

from ldp_core.settings.kinds import Setting, folder, form, number, whole, word

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
CACHE_DIR = Setting[Path | None](
    "EPSILON_CACHE_DIR", None, folder(),
    "Where compiled kernels are kept; no other user may write there.",
    "the user's cache folder",
)  # fmt: skip
DATA_MIRROR = Setting[str](
    "EPSILON_DATA_MIRROR", "", form(re.compile(r"https?://\S+"), "a web address, like https://data.example.org"),
    "A copy of the data sets, asked first: for `mnist/train-images-idx3-ubyte.gz` and so on.",
)  # fmt: skip
QUOTA_GB = Setting[float](
    "EPSILON_QUOTA_GB", 5.0, number(1e-6, 1e9, endless=True),
    "What all records may take; those that came as files go first, then the oldest that are not pinned.",
)  # fmt: skip
DRAFTS_MB = Setting[float](
    "EPSILON_DRAFTS_MB", 200.0, number(0.1, 1e6), "What drafts and links may take; the largest go first."
)  # fmt: skip
SLOTS = Setting[int | None](
    "EPSILON_SLOTS", None, whole(1, 64), "Jobs that train at the same time.", "one a GPU, or for two cores"
)  # fmt: skip
CORES = Setting[int | None](
    "EPSILON_CORES", None, whole(1, 10_000), "Cores that one job may use.", "a job's share of all"
)
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
    "EPSILON_ENGINE", "auto", word(("auto", "batched", "processes")),
    "How local training is computed, in place of the quickest way.",
)  # fmt: skip
WORKER_IDLE_SECONDS = Setting[float](
    "EPSILON_WORKER_IDLE_SECONDS", 600.0, number(0, 1e9), "How long a worker stays that has nothing to do."
)
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
WAITING_EACH = Setting[int](
    "EPSILON_WAITING_EACH", 5, whole(1, 10_000), "Jobs that one person may have waiting."
)
WAITING_ADDRESS = Setting[int](
    "EPSILON_WAITING_ADDRESS", 100, whole(1, 10_000),
    "Jobs that one address may have waiting: a class may share one.",
)  # fmt: skip
WAITING = Setting[int]("EPSILON_WAITING", 200, whole(1, 10_000), "Jobs that may wait in all.")
ADDRESS_HEADER = Setting[str](
    "EPSILON_ADDRESS_HEADER", "",
    form(re.compile(r"[A-Za-z0-9-]{1,60}"), "a header's name, like X-Forwarded-For"),
    "The header in which a proxy passes a visitor's address on; without a proxy leave it out, or visitors "
    "write it themselves.",
)  # fmt: skip
PAGES = Setting[int](
    "EPSILON_PAGES", 400, whole(1, 100_000),
    "Pages open at a time; fewer where the system gives a process few open files.",
)  # fmt: skip
PAGES_EACH = Setting[int]("EPSILON_PAGES_EACH", 200, whole(1, 100_000), "Pages open from one address.")
CONNECTIONS = Setting[int]("EPSILON_CONNECTIONS", 1000, whole(10, 100_000), "Connections open at a time.")
CONNECTIONS_EACH = Setting[int](
    "EPSILON_CONNECTIONS_EACH", 600, whole(1, 100_000), "Those of one address, where no proxy counts them."
)
SILENT_SECONDS = Setting[float](
    "EPSILON_SILENT_SECONDS", 15.0, number(1, 600), "How long a new connection may say nothing."
)
IDLE_MINUTES = Setting[float](
    "EPSILON_IDLE_MINUTES", 120.0, number(0.01, 100_000), "How long a page may say nothing."
)  # fmt: skip
UPLOADS_MB = Setting[float]("EPSILON_UPLOADS_MB", 100.0, number(1, 1e6), "Uploaded files that are kept.")
UPLOADS_EACH_MB = Setting[float](
    "EPSILON_UPLOADS_EACH_MB", 20.0, number(1, 1e6), "Those of one session; half of all from one address."
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
    "A Ray cluster that trains sweeps and what Tune asks.",
)  # fmt: skip
RAY_TOKEN = Setting[str]("EPSILON_RAY_TOKEN", "", ANYTHING, "That cluster's token.")

SETTINGS: tuple[Setting[Any], ...] = tuple(one for one in globals().values() if isinstance(one, Setting))


def refuse_nonsense() -> None:
    """Raise InvalidInput for the first setting that is invalid."""
    for one in SETTINGS:
        one.value()


def markdown() -> str:
    rows = [f"| `{one.name}` | {one.unset or '–'} | {one.reader.wanted} | {one.about} |" for one in SETTINGS]
    return "\n".join(["| variable | default | takes | what it sets |", "|---|---|---|---|", *rows])
