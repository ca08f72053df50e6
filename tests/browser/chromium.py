"""The browser that is on this machine."""

import shutil

SHELL = "chromium-headless-shell"
"""Debian's Chromium without windows: the same pages for a quarter less of the processor."""
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

HASTY = [
    "--js-flags=--no-turbofan --no-maglev --single-threaded-gc",
    "--renderer-process-limit=1",
]
"""For tests, whose pages live too shortly for what compiles well: a fifth of the processor less, or more."""


def find_chromium() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)
