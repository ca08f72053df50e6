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
from collections.abc import Iterable

import psutil
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.benchmarks.crowd import GONE_SECONDS, leave, megabytes, served, used
from tests.benchmarks.machine import quantiles
from tests.server.client import Viewer

DESCRIPTORS, EACH, NEWCOMERS = 1024, 5, 20
PAGES = ("", "clients", "noise", "train", "attack", "compare", "runs")


async def opened(url: str, asked: Iterable[tuple[int, str]]) -> list[Viewer]:
    """Pages of visitors, each with an address and a cookie of their own; prints how that went."""
    viewers, waits, errors, later = list[Viewer](), list[float](), list[str](), 0
    for visitor, page in asked:
        address = f"192.0.{visitor // 250}.{visitor % 250}"
        who = {"X-Real-IP": address, "Cookie": f"epsilon_visitor={visitor:032x}"}
        began = time.perf_counter()
        try:
            viewers.append(await Viewer.open(url, page, wire=None, **who))
            waits.append(time.perf_counter() - began)
        except (InvalidStatus, OSError, ConnectionClosed) as error:
            if isinstance(error, InvalidStatus) and error.response.status_code == 429:
                later += 1
            else:
                errors.append(repr(error))
    print(f"opened: {quantiles(waits)}; {later} refused for now; {len(errors)} errors {errors[:3] or ''}")
    return viewers


async def crowd(url: str, process: psutil.Process, count: int) -> None:
    """Open them all, look what that takes, and close them."""
    before, began = megabytes(process), used(process)
    tabs = await opened(url, [(n // EACH, PAGES[n % len(PAGES)]) for n in range(count)])
    spent, now = used(process) - began, megabytes(process)
    print(f"server: {1e3 * spent / count:.0f} ms of a core each, {process.num_fds()} descriptors", end=", ")
    print(f"from {before:.0f} to {now:.0f} MB; newcomers:")
    await leave(*tabs, *await opened(url, [(1000 + n, "noise") for n in range(NEWCOMERS)]))
    await asyncio.sleep(GONE_SECONDS)
    left = f"{process.num_fds()} descriptors, {megabytes(process):.0f} MB"
    print(f"left:   {left}, {GONE_SECONDS} s after all have gone")


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
