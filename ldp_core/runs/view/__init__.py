"""Records as their viewers see them: events folded into curves and tables. Nothing here writes."""
