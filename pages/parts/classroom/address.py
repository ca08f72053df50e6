"""Address of a class, as text and QR code."""

from urllib.parse import urlsplit

import segno
import streamlit as st

from ldp_core.classroom import Session
from ldp_core.settings.table import PUBLIC_URL
from pages.parts.ui.text import plain
from pages.server.address import LOOPBACK


def join_address(session: Session) -> str:
    """URL of a class for other machines: EPSILON_PUBLIC_URL, or as this browser reached the server."""
    here = urlsplit(st.context.url or "")
    place = f"{here.scheme}://{here.netloc}{here.path}".rstrip("/")
    if PUBLIC_URL.value():
        place = f"{PUBLIC_URL.value().rstrip('/')}/class"
    return f"{place}?code={session.code}"


def join_line(session: Session) -> None:
    """Draw code, address and QR code."""
    address = join_address(session)
    st.markdown(f"![The address, to scan]({_qr(address)})", width=112)
    with st.container(gap=None, width="content", key="room-code"):
        st.markdown(f"join at {_shown(address)} with")
        st.title(session.code, anchor=False)


def reach_warning(session: Session) -> None:
    """Warning if other machines cannot reach the address."""
    if urlsplit(join_address(session)).hostname in LOOPBACK:
        st.caption(
            "**Only this computer reaches this address.** Start the server with "
            "--server.address 0.0.0.0 and open this page by the computer's own name, or say its "
            "address in EPSILON\\_PUBLIC\\_URL."
        )


def _qr(address: str) -> str:
    """QR code as a data URL, dark on white in every theme."""
    return segno.make(address, error="m", micro=False).png_data_uri(scale=8, border=3, light="#ffffff")


def _shown(address: str) -> str:
    """Address without scheme, so that Markdown makes no link of it."""
    return plain(address.partition("://")[2].partition("?")[0], 80)
