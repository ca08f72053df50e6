"""The plan of a lesson names what there is: buttons, lessons, settings."""

import re

from ldp_core import settings
from ldp_core.classroom import topics
from ldp_core.system.shipped import ASSETS
from pages.parts.classroom.board import NEXT_OF
from pages.parts.learn.language import say

PLAN = (ASSETS / "lesson.md").read_text(encoding="utf-8")
OTHERS = {"Open a class", "New class", "Another question", "Train it", "Class", "Learn", "which"}
OTHERS |= {"Who is here", "Next", *map(say, ("other picture", "code", "my card"))}


def test_its_buttons_lessons_and_settings_are_there():
    assert len(PLAN.splitlines()) <= 80
    labels = {topics.get(name).label for name in topics.names()}
    named = set(re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", PLAN))
    buttons = {say(words, epsilon=11) for of in NEXT_OF.values() for words in of.values() if words}
    assert named <= OTHERS | labels | buttons
    assert set(re.findall(r"`([a-z_]+)`", PLAN)) <= {*topics.names()}
    assert set(re.findall(r"EPSILON_\w+", PLAN)) <= {
        one.name for one in vars(settings).values() if hasattr(one, "name")
    }
