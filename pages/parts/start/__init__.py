"""Parts of the page Start: stored results of scenarios (`ldp_core.runs.outcomes`)."""
