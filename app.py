"""The server's application: pages and static files.

`streamlit run app.py` finds `app` here. The pages start in `pages/shell.py`.
"""

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from ldp_core import accounting, presets, theory
from ldp_core.errors import StudioError
from ldp_core.runs import ensure_worker, inventory, own_data
from ldp_core.settings import given_and_gone, refuse_nonsense
from ldp_core.system.data_folder import keep_private
from ldp_core.system.memory import share_one_heap
from ldp_core.system.quiet_log import be_quiet
from ldp_core.system.shipped import ASSETS, SHIPPED
from pages.server.compressed import Compressed
from pages.server.crowd import Crowd
from pages.server.host_check import Door
from pages.server.listening import listen
from pages.server.messages import Messages
from pages.server.opening import open_browser
from pages.server.private_streamlit import let_go_of_the_gone, mend
from pages.server.reconnect import Reconnect
from pages.server.uploads import UploadGate

WARM_UP_SECONDS = 2.5
SWEEP_SECONDS = 5.0
SWITCH_SECONDS = 0.001
"""So long one visitor's page computes before others' have their turn; by default five times as long, and with
four tabs of large drafts a small one waited half a second."""

keep_private()
listen()
try:
    refuse_nonsense()
except StudioError as error:
    sys.exit(str(error))


class AssetFiles(StaticFiles):
    """Static files that browsers cache and revalidate, so that scripts are never stale."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Start the worker for jobs that an earlier server has left, if no page has started one by then."""
    asyncio.get_running_loop().call_later(WARM_UP_SECONDS, _wake)
    asyncio.get_running_loop().call_soon(open_browser)
    share_one_heap()
    be_quiet()
    for sentence in given_and_gone():
        logging.warning(sentence)
    mend()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is loaded by now stays: no need to look for garbage in it while somebody waits
    sweeping = asyncio.create_task(_sweep())
    yield
    sweeping.cancel()


def _wake() -> None:
    with suppress(OSError, StudioError):  # a page that submits a job says what is wrong
        ensure_worker(newest=True)


class WakesWorker:
    """Middleware: a page that opens has a worker started, which is warm by the time its visitor trains."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            asyncio.get_running_loop().run_in_executor(None, _wake)
        await self.app(scope, receive, send)


async def _sweep() -> None:
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        let_go_of_the_gone()
        with suppress(StudioError):
            await asyncio.to_thread(inventory.sweep)  # a database that is locked would hold up every page
        with suppress(StudioError, OSError):
            await asyncio.to_thread(own_data.sweep)


app = st.App(
    SHIPPED / "pages" / "shell.py",
    lifespan=lifespan,
    middleware=[
        Middleware(Door),
        Middleware(Crowd),
        Middleware(Compressed),
        Middleware(UploadGate),
        Middleware(WakesWorker),
        Middleware(Messages),
        Middleware(Reconnect),
    ],
    # below any prefix, kept or taken off by a proxy, and 404 for a file that is not there
    routes=[Mount(path, AssetFiles(directory=ASSETS)) for path in ("/assets", "/{prefix:path}/assets")],
)

# what every page needs is imported before the first visitor comes, not while she waits
__all__ = ["accounting", "app", "presets", "theory"]
