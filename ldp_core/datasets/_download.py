"""Downloads, verified by checksum, from several addresses.

torchvision's, scikit-learn's and pooch's downloaders report progress to a terminal only, so this uses the
standard library's client with those libraries' checksums.
"""

from __future__ import annotations

import errno
import hashlib
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from ldp_core.errors import on_one_line
from ldp_core.settings import DATA_MIRROR

CHUNK = 64 * 2**10
SECONDS = 20.0
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
OF_THE_DISK = (*FULL, errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO)
"""Errors of the disk, for which another address does not help."""


@dataclass(frozen=True)
class Remote:
    urls: tuple[str, ...]
    checksum: str
    """MD5 or SHA-256 in hexadecimal, by its length."""

    @property
    def name(self) -> str:
        return self.urls[0].rpartition("/")[2]

    def mirrored(self, folder: str) -> Remote:
        """Copy with the configured mirror as its first address: `MIRROR/folder/name`."""
        mirror = DATA_MIRROR.value().rstrip("/")
        return Remote((f"{mirror}/{folder}/{self.name}", *self.urls), self.checksum) if mirror else self

    def matches(self, file: Path) -> bool:
        kind = "md5" if len(self.checksum) == 32 else "sha256"
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, lambda: hashlib.new(kind, usedforsecurity=False))
        return found.hexdigest() == self.checksum


class Failed(Exception):
    """No address provided the file; the text gives a reason for each."""


def download(remote: Remote, target: Path, most: int, report: Callable[[int], None]) -> None:
    """Download one file of at most `most` bytes to `target`, which appears only when complete and verified;
    `report` receives the number of bytes so far. OSError if the file cannot be written, Failed if no address
    provided it.
    """
    if target.exists() and remote.matches(target):
        report(target.stat().st_size)
        return
    partial, why = target.with_name(f"{target.name}.partial"), dict[str, str]()
    for url in remote.urls:
        try:
            _receive(url, partial, most, report)
            if not remote.matches(partial):
                raise ValueError(_other(partial))
        except (OSError, HTTPException, ValueError) as error:
            if isinstance(error, OSError) and error.errno in OF_THE_DISK:
                raise
            partial.unlink(missing_ok=True)
            why[_without_password(url)] = _reason(error)
        else:
            partial.replace(target)
            return
    raise Failed("; ".join(f"{url}: {reason}" for url, reason in why.items()))


def _other(file: Path) -> str:
    """What came in place of the file with the right checksum."""
    with file.open("rb") as stream:
        if stream.read(200).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            return "a web page came in place of the file, as where one has to sign in"
    return (
        "what came is not the file that it should be (its checksum differs, as it does where it was "
        "compressed anew)"
    )


def _receive(url: str, partial: Path, most: int, report: Callable[[int], None]) -> None:
    if not url.startswith(("https://", "http://")):
        raise ValueError("its address is no web address")
    request = urllib.request.Request(url, headers={"User-Agent": "epsilon-studio"})  # noqa: S310 (checked above)
    try:
        answer = urllib.request.urlopen(request, timeout=SECONDS)  # noqa: S310
    except urllib.error.HTTPError as error:
        error.close()
        raise
    with answer, partial.open("wb") as file:
        length, have = answer.headers.get("Content-Length"), 0
        if length and int(length) > most:
            raise ValueError(
                f"the server sends {int(length) / 1e6:.1f} MB where at most {most / 1e6:.1f} MB belong"
            )
        while chunk := answer.read(CHUNK):
            file.write(chunk)
            have += len(chunk)
            if have > most:
                raise ValueError(f"the server sends more than the {most / 1e6:.1f} MB that belong there")
            report(have)
    if length and have < int(length):
        raise ConnectionError(f"the connection was cut after {have / 1e6:.1f} of {int(length) / 1e6:.1f} MB")


def _without_password(url: str) -> str:
    head, found, host = url.partition("://")
    place, _, path = host.partition("/")
    return on_one_line(f"{head}{found}{place.rpartition('@')[2]}/{path}")


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers {error.code}"
    if isinstance(error, TimeoutError):
        return f"the server is silent for {SECONDS:.0f} s"
    if isinstance(error, urllib.error.URLError):
        return (getattr(error.reason, "strerror", None) or str(error.reason)).lower()
    return str(error) or type(error).__name__
