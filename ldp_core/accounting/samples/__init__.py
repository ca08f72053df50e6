"""An audit of a mechanism that is known by its samples alone, whatever program or device made them.

`table` reads a CSV of samples, `audit` bounds ε from below and compares bias and variance with those of the
shipped mechanisms, `events` finds the set of answers that tells two inputs apart best.
"""

from ldp_core.accounting.samples.audit import (
    Answers,
    CannotTell,
    SampleAudit,
    audit_function,
    audit_samples,
    beside,
)
from ldp_core.accounting.samples.table import Samples, read_samples
