"""Permissions: everyone may look; a job's owner, or a teacher, may stop or delete it.

Without sign-in a person is a random token in the browser's cookie; with sign-in, the identity provider's
subject. Jobs store a digest of it, which reveals neither. A teacher knows the secret in
`settings.TEACHER`. Users with a shell on the machine may do everything.
"""

import hashlib
import hmac
import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass

from ldp_core.errors import NotYours
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.settings import TEACHER


@dataclass(frozen=True)
class Person:
    """A visitor of a page, or the user of the machine itself."""

    owner: str | None
    """Digest of the person's token; None without one."""
    teacher: bool = False

    def may(self, owner: str | None) -> bool:
        """True if this person may stop a job of this owner; anyone may stop a job without an owner."""
        return self.teacher or owner is None or owner == self.owner

    def owns(self, owner: str | None) -> bool:
        """True if this person may delete a job of this owner; without an owner, only a teacher may."""
        return self.teacher or (owner is not None and owner == self.owner)

    def check(self, owner: str | None, what: str, ownerless: bool = False) -> None:
        """Raise NotYours unless this person owns such a job, or it is without an owner and may be."""
        if not (self.may(owner) if ownerless else self.owns(owner)):
            raise NotYours(f"only the person who launched this job can {what}, or a teacher")


OPERATOR = Person(None, teacher=True)
"""The user of the command line on this machine."""


def person(token: str) -> Person:
    return Person(_digest(f"visitor/{token}"))


def signed_in(issuer: str, subject: str) -> Person:
    """Person with this issuer and subject of an identity provider: unlike names and mail addresses, the pair
    is unique and never passes to another person.
    """
    return Person(_digest(json.dumps(["signed in", issuer, subject])))


def address(text: str) -> str:
    """Digest of a network address, as jobs store it."""
    return _digest(f"address/{text}")


def room_of(secret: str) -> str:
    """Id of a private room, for the jobs of one owner or class that others must not find."""
    return _digest(f"room/{_secret()}/{secret}")


def _secret() -> str:
    """Random text, kept in the folder of runs, that salts digests."""
    path = runs_dir() / "secret"
    with suppress(FileExistsError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w", encoding="ascii") as new:
            new.write(secrets.token_hex(16))
    return path.read_text(encoding="ascii")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_teacher(secret: str) -> bool:
    """True for the secret that the server was started with; always False where none was set."""
    known = TEACHER.value()
    return bool(known) and hmac.compare_digest(os.fsencode(known), secret.strip().encode(errors="replace"))
