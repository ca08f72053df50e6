"""A class: a teacher and students who guess, watch one run and try, each in a browser of their own.

`sessions` holds what a class is and who may move it on, `members` what its students send, `store` the one
database of both. Nothing of a student outlives the class: its rows are overwritten when it ends.
"""

from ldp_core.classroom.members import Guess, Member, Try
from ldp_core.classroom.sessions import FREE, PHASES, Phase, Session
