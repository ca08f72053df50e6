"""Lesson: listening to the generous alone forgets what only others know."""

from ldp_core.lessons.base import LessonPlan, Transfer

LESSON = LessonPlan(
    order=30,
    label="Who pays",
    scenario="who_is_silenced",
    setting=(
        "Six of thirty people ask for little noise, and have only ever seen the digits 0 to 4. The others "
        "know all the rest, and answer with much noise."
    ),
    look="One figure of accuracy hides it: half of the digits are named well, and the others never.",
    free="aggregator.name",
    figure="classes",
    transfer=Transfer(
        "When is it harmless to listen to the six generous people alone?",
        ("they ask for still less noise", "the six have seen all ten digits", "there are more rounds"),
        1,
        "What they have never seen they cannot teach, however clearly they speak. Who asks for little noise "
        "decides what the model knows, unless the data of all are alike.",
    ),
)
