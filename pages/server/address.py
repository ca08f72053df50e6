"""Network address of a visitor, for limits.

Behind a proxy every connection is the proxy's; `EPSILON_ADDRESS_HEADER` names the header with the visitor's
address (`X-Forwarded-For`, `X-Real-IP`). The header is trusted only if the operator has named it, since
without a proxy visitors could forge it.
"""

import ipaddress
import re
from collections.abc import Sequence

import streamlit as st
from starlette.datastructures import Headers
from starlette.types import Scope

from ldp_core.settings import ADDRESS_HEADER

LOOPBACK = ("localhost", "127.0.0.1", "::1")
UNKNOWN = "an unknown address"
WITH_PORT = re.compile(r"\[([^\]]+)\](?::\d+)?|([\d.]+):\d+")
"""Address with port, as some proxies write it."""


def of_request(scope: Scope) -> str:
    peer, header = scope.get("client"), ADDRESS_HEADER.value()
    forwarded = Headers(scope=scope).getlist(header) if header else []
    return known(str(peer[0]) if peer else "", forwarded)


def of_page() -> str:
    """Network address of the visitor whose page is being drawn."""
    header = ADDRESS_HEADER.value()
    forwarded = st.context.headers.get_all(header) if header else []
    return known(str(st.context.ip_address or "127.0.0.1"), forwarded)


def known(peer: str, forwarded: Sequence[str]) -> str:
    """Normalised address of a connection's peer, or the last one `forwarded`, as proxies append; for IPv6 its
    network, as a home has 2⁶⁴ addresses.
    """
    text = forwarded[-1].rpartition(",")[2].strip() if forwarded else peer
    if with_port := WITH_PORT.fullmatch(text):
        text = with_port[1] or with_port[2]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return UNKNOWN
    if isinstance(found, ipaddress.IPv4Address) or found.is_loopback:
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))
