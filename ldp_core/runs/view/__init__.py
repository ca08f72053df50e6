"""Records as pages show them: events folded into curves and tables. Nothing here writes; damaged records
raise StorageFailed.
"""
