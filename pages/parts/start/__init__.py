"""Start: what the scenarios came to, drawn from stored outcomes (`ldp_core.runs.outcomes`)."""
