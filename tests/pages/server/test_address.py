"""Where a visitor comes from: the connection's other end, or what a proxy tells if the operator named it."""

import pytest

from ldp_core import settings
from ldp_core.errors import InvalidInput
from pages.server.address import UNKNOWN, known, of_request

ADDRESS_HEADER = settings.ADDRESS_HEADER.name
FORGED = [(b"x-forwarded-for", b"192.0.2.66")]


def scope(headers: list[tuple[bytes, bytes]]) -> dict[str, object]:
    return {"type": "http", "client": ("192.0.2.7", 50000), "headers": headers}


def test_forged_address_header_is_ignored_without_proxy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(ADDRESS_HEADER, raising=False)
    assert of_request(scope(FORGED)) == "192.0.2.7"


def test_behind_one_its_own_word_counts_and_not_the_visitors(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(ADDRESS_HEADER, "X-Forwarded-For")
    result = [(b"x-forwarded-for", b"192.0.2.66, 198.51.100.4")]
    assert of_request(scope(result)) == "198.51.100.4"
    assert of_request(scope([*FORGED, *result])) == "198.51.100.4"
    assert of_request(scope([])) == "192.0.2.7"
    assert of_request(scope([(b"x-forwarded-for", b"<script>")])) == UNKNOWN
    assert of_request(scope([(b"x-forwarded-for", b"198.51.100.4:50123")])) == "198.51.100.4", "as Azure's"
    assert of_request(scope([(b"x-forwarded-for", b"[2001:db8:1:2::3]:443")])) == "2001:db8:1:2::/64"


@pytest.mark.parametrize("given", ["X Forwarded", "X:1", "x" * 61, "é"])
def test_invalid_address_header_is_refused(monkeypatch: pytest.MonkeyPatch, given: str):
    monkeypatch.setenv(ADDRESS_HEADER, given)
    with pytest.raises(
        InvalidInput, match=f"^{ADDRESS_HEADER} must be a header's name, like X-Forwarded-For; got "
    ):
        settings.ADDRESS_HEADER.value()


def test_a_home_with_many_addresses_is_one():
    assert known("2001:db8:1:2:3:4:5:6", []) == known("2001:db8:1:2:ffff::1", []) == "2001:db8:1:2::/64"
    assert known("2001:db8:1:3::1", []) != known("2001:db8:1:2::1", [])
    assert known("::ffff:192.0.2.1", []) == known("192.0.2.1", []) == "192.0.2.1"
    assert known("", []) == UNKNOWN
