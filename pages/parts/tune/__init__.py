"""Parts of the page Tune: a sweep, the search for the least ε, and what formulas answer without training."""
