"""Stored data: `computations` by content key, whose events `recorder` writes and `events` reads, sweeps'
`cells`, `drafts`; `deletion` deletes records and undoes it, `quota` makes room. Unreadable or unwritable data
raise StorageFailed.
"""
