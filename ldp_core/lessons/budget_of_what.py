"""Lesson: the scope of ε (weight, upload or run)."""

from ldp_core.lessons.base import LessonPlan, Transfer

MILLIONS = "up to five million: nothing is promised"

LESSON = LessonPlan(
    order=5,
    label="A budget of what",
    scenario="what_epsilon_says",
    setting=(
        "“ε 0.5” is small. But of what? A person sends a number for each of the model's weights, in every "
        "round, and each of them spends the budget once more."
    ),
    look="Count what is spent: one dot is one number that a person sends.",
    free="rounds",
    transfer=Transfer(
        "A paper says “ε = 1”, for each of 50 000 weights, in 100 rounds. What is that, added up, for all "
        "that a person sends?",
        ("1", "100", MILLIONS),
        MILLIONS,
        "50 000 × 100 × 1. A budget without its scope says nothing: ask for the number that covers "
        "everything that a person ever sends.",
    ),
    figure="releases",
)
