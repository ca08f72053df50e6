"""What is promised to each client, and an audit of the claim.

`ledger` is the four numbers of a client, `spending` what so many uploads cost it (it chooses the rule),
`compose` the rules, `own_law` a mechanism's own, `shuffling` what a shuffler adds; `backwards` and `afford`
go from a price to an ε; `worth` weighs a promise; `entry` is what they say, `table` its JSON in an event;
`empirical` and `floats` hold promises against samples and float32, `samples` a mechanism of anybody's
against its own claim.
"""

from ldp_core.accounting.afford import epsilon_for, run_budget
from ldp_core.accounting.compose import compose
from ldp_core.accounting.empirical import Audit, audit, exact_epsilon
from ldp_core.accounting.entry import Entry, Promise, Scope
from ldp_core.accounting.ledger import SHARE, entries, everyone, ledger, promise, within
from ldp_core.accounting.samples import CannotTell, SampleAudit, audit_function, audit_samples
from ldp_core.accounting.shuffling import shuffled
from ldp_core.accounting.spending import DELTA, RULES, Spending
from ldp_core.accounting.table import Table, entries_in, entry_of, to_json
from ldp_core.accounting.worth import NOTHING, Worth, word_of, worth
