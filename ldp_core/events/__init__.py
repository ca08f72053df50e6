"""What a job says of itself: one JSON object after another, from its start to its end.

Rounds count from 1; round 0 is the model before training. Clients are numbered from 1, in
the order of the experiment's lists. Variances are per weight, in squared units of the target. A field's type
is also what is demanded of an event that comes from outside (`Event.of`).
"""

from ldp_core.events.base import Event, Status, event_of
from ldp_core.events.cells import Answered, ClaimCell, Leaked, SearchCell, SweepCell
from ldp_core.events.ladder import Cell, Figures, Guess, LadderEnded, LadderStarted, Reference
from ldp_core.events.run import Attacked, Ended, Frame, RoundDone, Started, Target, Trained
