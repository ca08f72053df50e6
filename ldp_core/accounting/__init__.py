"""Privacy accounting: each client's guarantee, and audits of claimed guarantees.

`ledger` gives the four ε of a client, `spending` the ε of a number of uploads (it chooses the rule),
`compose` the composition rules, `own_law` composition by a mechanism's own law, `shuffling` amplification by
a shuffler; `backwards` goes from a run's ε to an ε per use; `worth` translates ε into words; `entry` holds
guarantees as values, `table` as JSON in events; `samples` audits foreign mechanisms.
"""

from ldp_core.accounting.compose import compose
from ldp_core.accounting.entry import (
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
from ldp_core.accounting.shuffling import shuffled
from ldp_core.accounting.spending import DELTA, RULES, Spending
from ldp_core.accounting.table import Table, entries_in, entry_of, to_json
from ldp_core.accounting.worth import Worth, worth
