"""Inverse questions: which ε, and which safe range τ, for a goal?

For an accuracy: `question` is the request, `search` the runs to train next given all results, until the least
ε is known. Nothing here trains; the caller trains the requested runs and returns their results. By formula:
`inverses` goes from noise or run ε to ε.
"""

from ldp_core.tuning.found import Answer, More, Point
from ldp_core.tuning.least_epsilon import answer_of, next_points
from ldp_core.tuning.question import Question, parse_question
