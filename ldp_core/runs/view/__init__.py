"""Records as their viewers see them: events folded into curves and tables. Nothing here writes, and a damaged
record raises StorageFailed."""
