"""The command `doctor`: checks of the program and its settings on this machine.

`finding` is a line of the report; `program`, `machine`, `storage` and `openness` check; `command` prints.
Nothing here trains, loads torch, or changes stored data. The settings are those of the calling shell, so run
it where the server is started.
"""

from ldp_core.doctor.command import doctor
