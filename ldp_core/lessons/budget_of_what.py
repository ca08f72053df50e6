"""Lesson: ε means nothing without its scope."""

from ldp_core.lessons.base import LessonPlan, Transfer

LESSON = LessonPlan(
    order=50,
    label="A budget of what",
    scenario="what_epsilon_says",
    setting=(
        "“ε 1” is small. But of what? A person sends a number for each of the model's weights, in every "
        "round, and each of them spends the budget once more."
    ),
    look="Count what is spent: one dot is one number that a person sends.",
    free="rounds",
    transfer=Transfer(
        "Three papers train for 100 rounds. Which of them promises a person something?",
        ("ε 1 for each of 50 000 weights", "ε 10 for each round", "ε 2 for all that a person ever sends"),
        2,
        "The first adds up to 5 000 000, the second to 1 000: nothing is promised. A budget without its "
        "scope says nothing: ask for the number that covers everything that a person ever sends.",
    ),
    figure="releases",
)
