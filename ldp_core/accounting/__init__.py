"""Privacy accounting: each client's guarantee, and audits of claimed guarantees.

`ledger` gives the four ε of a client by the rules of `ldp_core.composition`, `worth` translates ε into words,
`table` writes guarantees as JSON in events; `samples` audits foreign mechanisms.
"""

from ldp_core.accounting.ledger import (
    SHARE,
    entries,
    epsilon_for,
    everyone,
    least_promised,
    ledger,
    promise,
    run_budget,
    within,
)
from ldp_core.accounting.samples import CannotTell, SampleAudit, audit_function, audit_samples
from ldp_core.accounting.table import Table, entries_in, entry_of, to_json
from ldp_core.accounting.worth import Worth, worth
from ldp_core.composition.compose import compose
from ldp_core.composition.entry import (
    AGAINST,
    NEIGHBOURS,
    NOTHING,
    WHOLE_RUN,
    Entry,
    Promise,
    Scope,
    of_whom,
    together_in_words,
    word_of,
)
from ldp_core.composition.shuffling import shuffled
from ldp_core.composition.spending import DELTA, RULES, Spending
