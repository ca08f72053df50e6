"""What a piece of the program takes, in a process of its own: memory at its peak."""

import subprocess
import sys

from tests.conftest import ROOT

AROUND = """
import gc, json, resource, sys
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1000 for line in status if line.startswith("VmHWM"))
{code}
gc.collect()
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # from here on the peak counts anew
before = peak()
resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9,) * 2)
said = act()
print(json.dumps([peak() - before, said]))
"""


def megabytes(code: str, *arguments: str) -> float:
    """By which the peak of a process grows while it does `act`, which `code` defines."""
    found = subprocess.run(
        [sys.executable, "-c", AROUND.format(code=code), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return float(found.stdout.splitlines()[-1].partition(",")[0].strip("["))
