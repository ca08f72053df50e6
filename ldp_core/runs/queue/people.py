"""Who may do what: everybody may look; a job's owner, or a teacher, may stop or delete it.

A person without sign-in is a random token that their browser keeps; one who signs in is who the
provider says, whatever the browser. Jobs hold a digest of either, so that it cannot be read from the
database or from a page. A teacher knows the secret that the server was
started with (`settings.table.TEACHER`). Who has a shell on the machine may do everything.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass

from ldp_core.errors import NotYours
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.settings.table import TEACHER


@dataclass(frozen=True)
class Person:
    """A visitor of a page, or the user of the machine itself."""

    owner: str | None
    """The digest of their token; None without one."""
    teacher: bool = False

    def may(self, owner: str | None) -> bool:
        """True if a job of this owner is theirs to stop; a job without an owner is everybody's."""
        return self.teacher or owner is None or owner == self.owner

    def owns(self, owner: str | None) -> bool:
        """True if a job of this owner is theirs to delete; a job without an owner is the teacher's."""
        return self.teacher or (owner is not None and owner == self.owner)

    def check(self, owner: str | None) -> None:
        """Do nothing if this person may."""
        if not self.may(owner):
            raise NotYours("only whoever launched this job can stop it or take it up, or a teacher")


OPERATOR = Person(None, teacher=True)
"""The user of the machine itself: the command line."""


def person(token: str, secret: str = "") -> Person:
    """The person with a browser's token, a teacher if they know the secret."""
    return Person(_digest(f"visitor/{token}"), is_teacher(secret))


def signed_in(issuer: str, subject: str, secret: str = "") -> Person:
    """The person whom an identity provider knows by this subject: the pair is unique and never changes.

    Names and mail addresses may be given to another person later, so they count for nothing here.
    """
    return Person(_digest(json.dumps(["signed in", issuer, subject])), is_teacher(secret))


def address(text: str) -> str:
    """An address as jobs hold it: so that it cannot be read from where others come."""
    return _digest(f"address/{text}")


def room_of(secret: str) -> str:
    """The name of a private room: of what an owner (by its digest), or a class, keeps to itself here."""
    return _digest(f"room/{_secret()}/{secret}")


def _secret() -> str:
    """A random text that this folder of runs keeps."""
    path = runs_dir() / "secret"
    with suppress(FileExistsError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w", encoding="ascii") as new:
            new.write(secrets.token_hex(16))
    return path.read_text(encoding="ascii")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_teacher(secret: str) -> bool:
    """True for the secret that the server was started with; without one there are no teachers."""
    known = TEACHER.value()
    return bool(known) and hmac.compare_digest(os.fsencode(known), secret.strip().encode(errors="replace"))
