"""From which address a visitor comes: what limits for people without a name count by, beside their browsers.

Behind a proxy every connection is the proxy's; `EPSILON_ADDRESS_HEADER` names the header in which it tells
the visitor's address (`X-Forwarded-For`, `X-Real-IP`). It is believed only where the operator has named it:
without a proxy anybody could write one.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.types import Scope

from ldp_core.settings.table import ADDRESS_HEADER

LOOPBACK = ("localhost", "127.0.0.1", "::1")
UNKNOWN = "an unknown address"
WITH_PORT = re.compile(r"\[([^\]]+)\](?::\d+)?|([\d.]+):\d+")
"""As some proxies tell an address."""


def of_request(scope: Scope) -> str:
    peer, header = scope.get("client"), ADDRESS_HEADER.value()
    forwarded = Headers(scope=scope).getlist(header) if header else []
    return known(str(peer[0]) if peer else "", forwarded)


def of_page() -> str:
    """The client address of the session whose page is being drawn."""
    header = ADDRESS_HEADER.value()
    forwarded = st.context.headers.get_all(header) if header else []
    return known(str(st.context.ip_address or "127.0.0.1"), forwarded)


def is_local() -> bool:
    """Whether the visitor is on the server's machine, by the connection and by the name in the address."""
    typed = urlsplit(st.context.url or "").hostname
    return of_page() in LOOPBACK and typed in LOOPBACK and not ADDRESS_HEADER.value()


def known(peer: str, forwarded: Sequence[str]) -> str:
    """One name for an address; of IPv6 the network, as a home has 2⁶⁴ of them.

    Args:
        peer: who is at the other end of the connection.
        forwarded: the named header, each time that it is there. Proxies append to it, so its last entry
            is our own proxy's.
    """
    text = forwarded[-1].rpartition(",")[2].strip() if forwarded else peer
    if with_port := WITH_PORT.fullmatch(text):
        text = with_port[1] or with_port[2]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return UNKNOWN
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))
