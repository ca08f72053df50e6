"""Lesson: noise decides how much each client should count."""

from ldp_core.lessons.base import LessonPlan, Transfer

LESSON = LessonPlan(
    order=10,
    label="Whom to listen to",
    scenario="two_volunteers",
    setting=(
        "Twenty people train one model that reads handwritten digits. Eighteen ask for a strict budget and "
        "answer with much noise, two answer almost plainly; the server adds all answers up and divides by "
        "twenty."
    ),
    look=(
        "Compare the grey line with the other two: same people, same answers, only how much each counts "
        "differs. σ is the size of a person's noise."
    ),
    free="aggregator.name",
    transfer=Transfer(
        "A hundred ask for ε 1 a weight, one for 0.01, and the server takes the plain mean. What helps most?",
        ("weigh each answer by 1/σ²", "ask the hundred for ε 1.1", "train twice as many rounds"),
        0,
        "One noisy answer spoils a mean: its variance is some ten thousand times the others', nearly all "
        "of the sum's. A weight of 1/σ² makes it as good as unheard.",
    ),
)
