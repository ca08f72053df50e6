"""A class: a teacher and students who guess, watch one run and try, each in a browser of their own.

`sessions` holds what a class is and who may move it on, `topics` what it can be about, `members` what its
students send, `own_digits` the run of which they are the clients, `rooms` where that
is kept, `store` the one database of all. Nothing of a student outlives the class: its rows are overwritten
when it ends, and what it has trained is removed.
"""

from ldp_core.classroom.members import Guess, Member, Try
from ldp_core.classroom.sessions import FREE, PHASES, Phase, Session
