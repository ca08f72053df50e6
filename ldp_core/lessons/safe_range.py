"""Lesson: the safe range decides how wide the noise is."""

from ldp_core.lessons.base import LessonPlan, Transfer

LESSON = LessonPlan(
    order=20,
    label="Which range",
    scenario="send_changes",
    setting=(
        "Noise has to hide any value in the safe range. Ten strict and ten generous people send either "
        "their model's weights, cut to ±1 or to ±0.1, or what training changed in them, cut to ±0.1."
    ),
    look=(
        "All three have seen the same data with the same ε. From the first to the second only the range is "
        "shorter, from the second to the third only what is sent differs. No range hides the image that a "
        "generous person sent: it comes back, or nearly."
    ),
    free="clients.range",
    transfer=Transfer(
        "You halve the safe range and keep ε; no value is cut. What is left of the noise's variance?",
        ("half of it", "a quarter of it", "all of it: ε has not changed"),
        1,
        "Noise is as wide as the range, and variance is width squared: half the range, a quarter of the "
        "variance, at the same ε. An attacker hears more clearly as well.",
    ),
)
