"""Inverse questions: which design, ε and safe range τ for a goal?

For an accuracy, or under a promise, `designs` tells the runs to train next given all results, until the
answer is known: of the visitor's own question (`needs`) and of the least ε for one experiment (`question`).
Nothing here trains; the caller trains the requested runs and returns their results. By formula: `inverses`
goes from noise or run ε to ε.
"""

from ldp_core.tuning.designs import DesignRun, next_points
from ldp_core.tuning.least_epsilon import Answer, answer_of
from ldp_core.tuning.question import Question, parse_question
