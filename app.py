"""What the server serves: the pages, and the files that they need in the browser.

`streamlit run app.py` finds `app` here. The pages themselves begin in `pages/shell.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import plotly
import streamlit as st
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from ldp_core.runs.worker import ensure_worker

ROOT = Path(__file__).parent


class Files(StaticFiles):
    """Files that browsers keep, and ask about before they use them again: never a stale script."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Warm the worker up while the first visitor is still reading."""
    ensure_worker()
    yield


app = st.App(
    ROOT / "pages" / "shell.py",
    lifespan=lifespan,
    routes=[
        # plotly's Python package carries the JavaScript that its figures are made for
        Mount("/assets/plotly", Files(directory=Path(plotly.__file__).parent / "package_data")),
        Mount("/assets", Files(directory=ROOT / "assets")),
    ],
)
