"""Hundreds of tabs on a small server: `python -m tests.benchmarks.tabs [--tabs 250] [--hard]`.

Fifty visitors with five tabs each, every one a page with its own connection and session, on a server that is
started with 1 024 descriptors, as shells start it (with `--hard` it may not ask for more). Printed: how long
each took to come, or that it was refused for now; what they take of the server; how newcomers fare beside
them; and what is left when all have gone.
"""

import argparse
import asyncio
import resource
import time

import psutil
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.benchmarks.machine import quantiles
from tests.benchmarks.serving import megabytes, served, used
from tests.server.client import Viewer

DESCRIPTORS = 1024
EACH = 5
PAGES = ("", "clients", "noise", "train", "attack", "compare", "runs")
NEWCOMERS = 20
GONE_SECONDS = 150
"""After which the server has forgotten those who left."""


class Tabs:
    """What became of some tabs.

    Attributes:
        waits: seconds until each was drawn.
        later: how many were refused for now (429).
        errors: what else went wrong.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.viewers: list[Viewer] = []
        self.waits: list[float] = []
        self.errors: list[str] = []
        self.later = 0

    async def open(self, visitor: int, page: str) -> None:
        """A page of a visitor with an address and a cookie of their own."""
        address = f"192.0.{visitor // 250}.{visitor % 250}"
        who = {"X-Real-IP": address, "Cookie": f"epsilon_visitor={visitor:032x}"}
        began = time.perf_counter()
        try:
            self.viewers.append(await Viewer.open(self.url, page, wire=None, **who))
            self.waits.append(time.perf_counter() - began)
        except InvalidStatus as refused:
            if refused.response.status_code == 429:
                self.later += 1
            else:
                self.errors.append(str(refused))
        except (OSError, ConnectionClosed) as error:
            self.errors.append(f"{type(error).__name__} {error}")

    async def close(self) -> list[str]:
        """Close them all; returns what went wrong with any."""
        for viewer in self.viewers:
            self.errors += viewer.errors
            await viewer.close()
        return self.errors

    def in_words(self) -> str:
        return f"{quantiles(self.waits) if self.waits else 'none came in'}; {self.later} refused for now"


async def crowd(url: str, process: psutil.Process, count: int) -> None:
    """Open them all, look what that takes, and close them."""
    before, began = megabytes(process), used(process)
    tabs, newcomers = Tabs(url), Tabs(url)
    for n in range(count):
        await tabs.open(n // EACH, PAGES[n % len(PAGES)])
    spent, now = used(process) - began, megabytes(process)
    print(f"tabs:      {tabs.in_words()}; {1e3 * spent / count:.0f} ms of a core each")
    print(f"server:    {process.num_fds()} descriptors, from {before:.0f} to {now:.0f} MB")
    for n in range(NEWCOMERS):
        await newcomers.open(1000 + n, "noise")
    print(f"newcomers: {newcomers.in_words()}")
    errors = [*await tabs.close(), *await newcomers.close()]
    print(f"errors:    {len(errors)} {errors[:3] or ''}")
    await asyncio.sleep(GONE_SECONDS)
    left = f"{process.num_fds()} descriptors, {megabytes(process):.0f} MB"
    print(f"left:      {left}, {GONE_SECONDS} s after all have gone")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tabs", type=int, default=250)
    parser.add_argument("--hard", action="store_true", help="the server may not ask for more descriptors")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS if options.hard else most))
    with served(EPSILON_ADDRESS_HEADER="X-Real-IP") as (url, process):
        asyncio.run(crowd(url, process, options.tabs))


if __name__ == "__main__":
    main()
