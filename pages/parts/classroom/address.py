"""Address of a class: `HOST/CODE`, as text and QR code; the server leads from it to the class."""

import segno

from ldp_core.classroom import Session
from pages.parts.ui.header import address_of
from pages.parts.ui.text import plain


def short_address(session: Session) -> str:
    return f"{address_of('class').removesuffix('class')}{session.code}"


def shown_address(session: Session) -> str:
    """Address without scheme, so that Markdown makes no link of it."""
    return plain(short_address(session).partition("://")[2], 80)


def join_picture(session: Session) -> str:
    """QR code in Markdown, dark on white in every theme."""
    code = segno.make(short_address(session), error="m", micro=False)
    return f"![The address, to scan]({code.png_data_uri(scale=16, border=3, light='#ffffff')})"
