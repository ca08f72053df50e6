"""Records as pages show them: events folded into curves and tables; damaged ones raise StorageFailed."""
