"""Lesson: equal ε, different protection, depending on the mechanism."""

from ldp_core.lessons.base import LessonPlan, Transfer

EXACT = "the one with the smaller variance"

LESSON = LessonPlan(
    order=4,
    label="Same ε, other secrets",
    scenario="same_epsilon",
    setting=(
        "Two mechanisms keep the same promise, ε 8 for each weight. One answers close to the truth, the "
        "other with one of two values; an attacker tries to get the picture back from either."
    ),
    look="The promise is equal, the pictures are not: the better estimator leaks more.",
    free="mechanism.name",
    transfer=Transfer(
        "Two mechanisms have the same ε; one has a quarter of the other's variance. Whose answer helps an "
        "attacker more, as a rule?",
        (EXACT, "the one with the larger variance", "both alike: ε is what counts"),
        EXACT,
        "ε bounds what the worst attacker can learn, not what a given one does. An answer close to the "
        "truth is close to the truth for everybody.",
    ),
    figure="leak",
)
