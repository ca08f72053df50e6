"""The examples of ldp_core/HOW_TO_ADD.md, as they stand there."""

import re

from tests.conftest import ROOT

TEXT = (ROOT / "ldp_core" / "HOW_TO_ADD.md").read_text(encoding="utf-8")
EXAMPLES = dict(
    re.findall(
        r"^`((?:\w+/)+\w+\.(?:py|toml))`\n\n```(?:python|toml)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL
    )
)
"""By the path of the file."""
