"""Lesson: equal ε, unequal leakage."""

from ldp_core.lessons.base import LessonPlan, Transfer

LESSON = LessonPlan(
    order=40,
    label="Same ε, other secrets",
    scenario="same_epsilon",
    setting=(
        "Two mechanisms keep the same promise, ε 8 for each weight. Piecewise answers close to the "
        "truth, Duchi with one of two values; an attacker tries to get the picture from either."
    ),
    look="The promise is equal, the pictures are not: one is a copy, the other a blur.",
    free="mechanism.name",
    transfer=Transfer(
        "Two mechanisms have the same ε; one has a quarter of the other's variance. Whose answer helps an "
        "attacker more, as a rule?",
        ("the one with less variance", "the one with more variance", "both alike: ε is what counts"),
        0,
        "ε bounds what the worst attacker can learn, not what a given one does. An answer close to the "
        "truth is close to the truth for everybody.",
    ),
    figure="leak",
)
