"""Address of a class, as text and QR code."""

import segno
import streamlit as st

from ldp_core.classroom import Session
from pages.parts.ui.header import address_of
from pages.parts.ui.text import plain


def join_address(session: Session) -> str:
    return f"{address_of('class')}?code={session.code}"


def join_line(session: Session) -> None:
    """Draw code, address and QR code."""
    address = join_address(session)
    st.markdown(f"![The address, to scan]({_qr(address)})", width=112)
    with st.container(gap=None, width="content", key="room-code"):
        st.markdown(f"join at {_shown(address)} with")
        st.title(session.code, anchor=False)


def _qr(address: str) -> str:
    """QR code as a data URL, dark on white in every theme."""
    return segno.make(address, error="m", micro=False).png_data_uri(scale=8, border=3, light="#ffffff")


def _shown(address: str) -> str:
    """Address without scheme, so that Markdown makes no link of it."""
    return plain(address.partition("://")[2].partition("?")[0], 80)
