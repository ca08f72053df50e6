"""Lesson: the cost of weighting clients with large ε more."""

from ldp_core.lessons.base import LessonPlan, Transfer

ALL_TEN = "the six have seen all ten digits"

LESSON = LessonPlan(
    order=3,
    label="Who pays",
    scenario="who_is_silenced",
    setting=(
        "Six of thirty people ask for little noise, and have only ever seen the digits 0 to 4. The others "
        "know all the rest, and answer with much noise."
    ),
    look="One figure of accuracy hides it: half of the digits are named well, and the others never.",
    free="aggregator.name",
    transfer=Transfer(
        "When is it harmless to listen to the six generous people alone?",
        ("they ask for still less noise", ALL_TEN, "there are more rounds"),
        ALL_TEN,
        "What they have never seen they cannot teach, however clearly they speak. Who asks for little noise "
        "decides what the model knows, unless the data of all are alike.",
    ),
)
