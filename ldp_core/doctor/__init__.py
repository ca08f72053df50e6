"""The command `doctor`: what of all that this program promises holds on the machine at hand.

`finding` is a line of its report; `program`, `machine`, `storage` and `openness` look; `command` asks them
all and prints. Nothing here trains, loads torch, or changes what is stored. Settings are those of
the shell where it is asked: ask where the server is started.
"""

from ldp_core.doctor.command import doctor
