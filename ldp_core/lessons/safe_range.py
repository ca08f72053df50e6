"""Lesson: the choice of the safe range."""

from ldp_core.lessons.base import LessonPlan, Transfer

QUARTER = "a quarter of it"

LESSON = LessonPlan(
    order=2,
    label="Which range",
    scenario="send_changes",
    setting=(
        "Noise has to hide any value in the safe range. Ten strict and ten generous people send either "
        "their model's weights, which need ±1, or what training changed in them, which fits into ±0.1."
    ),
    look="In the end both have seen the same data with the same ε; only the range is ten times shorter.",
    free="clients.range",
    transfer=Transfer(
        "You halve the safe range and keep ε; no value is cut. What is left of the noise's variance?",
        ("half of it", QUARTER, "all of it: ε has not changed"),
        QUARTER,
        "Noise is as wide as the range, and variance is width squared: half the range, a quarter of the "
        "variance, at no price in privacy.",
    ),
)
