"""Privacy accounting: each client's guarantee, and audits of claimed guarantees.

`ledger` gives the four ε of a client by the rules of `ldp_core.composition`, `worth` translates ε into words,
`table` has the entries and writes them as JSON in events; `samples` audits foreign mechanisms.
"""

from ldp_core.accounting.ledger import (
    entries,
    epsilon_for,
    everyone,
    least_promised,
    ledger,
    promise,
    run_budget,
)
from ldp_core.accounting.ledger_entry import (
    AGAINST,
    NEIGHBOURS,
    WHOLE_RUN,
    Entry,
    LedgerTable,
    Scope,
    entries_in,
    entry_of,
    of_whom,
    to_json,
    together_in_words,
)
from ldp_core.accounting.samples import CannotTell, SampleAudit, audit_samples
from ldp_core.accounting.worth import NOTHING, Worth, word_of, worth
from ldp_core.composition.compose import compose
from ldp_core.composition.shuffling import shuffled
from ldp_core.composition.spending import DELTA, RULES, Promise, Spending
