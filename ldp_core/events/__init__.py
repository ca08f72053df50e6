"""Events of a job: JSON objects from its start to its end.

Rounds count from 1; round 0 is the untrained model. Clients count from 1, in the experiment's order.
Variances are per weight, in squared units of the target. A field's type is also the validation of copied
records (`Event.of`).
"""

from ldp_core.events.base import Event, Status, event_of
from ldp_core.events.cells import (
    Answered,
    ChanceLevel,
    ClaimCell,
    DesignCell,
    Fitted,
    Leaked,
    SearchCell,
    SweepCell,
    Told,
    Tried,
)
from ldp_core.events.ladder import AttemptFigures, Cell, LadderEnded, LadderStarted, Reference, SearchGuess
from ldp_core.events.run import Attacked, Ended, Frame, RoundDone, Started, Target, Trained
