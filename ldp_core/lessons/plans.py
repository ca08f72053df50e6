"""The five lessons of the page Learn, in their order."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Transfer:
    """A question on another setting that the lesson's rule answers."""

    text: str
    options: tuple[str, ...]
    place: int
    """Index of the right option."""
    why: str

    @property
    def right(self) -> str:
        return self.options[self.place]


@dataclass(frozen=True)
class LessonPlan:
    label: str
    scenario: str
    """Scenario with the lesson's question; its stored runs give the answer."""
    setting: str
    """Two sentences before the question."""
    look: str
    """Where the effect is visible in the chart."""
    free: str
    """Dotted name of the field that may be changed afterwards."""
    transfer: Transfer
    figure: Literal["", "releases", "leak", "classes"] = ""
    """The lesson's own chart: numbers that ε covers, leakage over variance, or accuracy on each class."""


WHOM = LessonPlan(
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

SAFE_RANGE = LessonPlan(
    label="Which range",
    scenario="send_changes",
    setting=(
        "Noise has to hide any value in the safe range. Ten strict and ten generous people send either "
        "their model's weights, cut to ±1 or to ±0.1, or what training changed in them, cut to ±0.1."
    ),
    look=(
        "All three have seen the same data with the same ε. From the first to the second only the range is "
        "shorter, from the second to the third only what is sent differs."
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

WHO_PAYS = LessonPlan(
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

OTHER_SECRETS = LessonPlan(
    label="Same ε, other secrets",
    scenario="same_epsilon",
    setting=(
        "Two mechanisms keep the same promise, ε 8 for each weight. Piecewise answers close to the "
        "truth, Duchi with one of two values; an attacker tries to read the picture from either."
    ),
    look="The promise is equal, the pictures are not: one is a copy, the other a blur; both can be read.",
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

BUDGET_OF_WHAT = LessonPlan(
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

LESSONS = {
    "whom": WHOM,
    "safe_range": SAFE_RANGE,
    "who_pays": WHO_PAYS,
    "other_secrets": OTHER_SECRETS,
    "budget_of_what": BUDGET_OF_WHAT,
}
