"""What the Train page is made of: choices, launch, words below the charts, the ledger
(`parts.watch` puts them together, and says in its `headline` what was found).

`standings` says who is ahead and who diverged, `findings` joins that with what leaked (why a run diverged
is said in `ldp_core.federated.round`); `ledger_panel` picks a client, `parts.noise.promise_table` draws the
four promises, red where there is none.
"""
