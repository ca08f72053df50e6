"""All environment variables of this program; `doctor --settings` prints them."""

import os
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
    "EPSILON_ENGINE", "auto", word(("auto", "batched", "processes")),
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
