"""Which ε, and which τ? The questions that go backwards.

Of an accuracy: `question` is what may be asked, `search` what to train next, given all that was found, until
there is an answer. Nothing here trains: who does so asks for the next cells, and tells what they came to.
By formula alone: `inverses` goes from a noise or a price to an ε, `allocation` from everybody's limits to the
least noise.
"""

from ldp_core.tuning.found import Answer, More, Point
from ldp_core.tuning.question import Question, parse_question
from ldp_core.tuning.search import answer_of, next_points
