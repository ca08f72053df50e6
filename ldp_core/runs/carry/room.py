"""Limits on imported files, which cost nothing to make: no stored run is deleted to make room for an
import.
"""

from __future__ import annotations

from ldp_core.errors import NotNow
from ldp_core.runs.record import quota

EACH, NEAR = (20, 0.05), (100, 0.2)
"""Number of imported records, and their share of the quota: limits for one person, and for one address."""


def refuse_without_room(size: int, owner: str | None, address: str | None) -> None:
    """Raise NotNow where an owner, an address or the server has no room for an import of so many bytes.

    Args:
        owner: None for the operator, who has the whole quota.
    """
    most, brought = quota.most_bytes(), [one for one in quota.kept() if one.job.imported]
    for whose, (records, share), found in (
        ("you have", EACH, [one for one in brought if owner and one.job.owner == owner]),
        ("your network has", NEAR, [one for one in brought if address and one.job.address == address]),
    ):
        taken = sum(one.size for one in found)
        if found and (len(found) >= records or taken + size > share * most):
            raise NotNow(
                f"{whose} {len(found)} runs of {taken / 1e6:.1f} MB here that were brought as files, and "
                f"{records} of {share * most / 1e6:.0f} MB are the most: delete one before the next"
            )
    if (taken := quota.taken()) + size > most:
        raise NotNow(
            f"all runs take {taken / 1e6:.1f} of the {most / 1e6:.1f} MB that this server keeps, this one "
            f"{size / 1e6:.1f} MB, and a file takes nobody's place: delete some runs, or ask for more room"
        )
