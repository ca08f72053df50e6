"""A class: a teacher and students who guess, watch one run and try settings, each in a browser of their own.

`sessions` holds a class and its phases, `members` the students' input, `store` the database. Students' data
are overwritten when the class ends.
"""

from ldp_core.classroom.members import Guess, Member, Try
from ldp_core.classroom.names import MOST_LETTERS
from ldp_core.classroom.sessions import FREE, PHASES, Phase, Session
