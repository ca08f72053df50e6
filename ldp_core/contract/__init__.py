"""Checks that every part (mechanism, aggregator, model, …) must pass: `epsilon-studio check PART`."""
