"""What the tests of this folder share."""

from collections.abc import Iterator

import pytest

from tests.package.installed import Installed


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    made = Installed(tmp_path_factory.mktemp("installed"))
    yield made
    made.end()
