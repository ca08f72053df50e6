"""Parts of the page Train: settings, launch, sentences below the charts, the ledger; `parts.watch` draws the
running job.

`standings` compares accuracies and reports divergence; `ledger_panel` chooses a client,
`parts.noise.promise_table` draws the four guarantees.
"""
