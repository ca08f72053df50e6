"""Records as their viewers see them: events folded into curves, and lists of jobs. Nothing here writes."""
