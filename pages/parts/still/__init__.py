"""One page that needs no server: stored results in the pages' own components (`python -m ldp_core still`)."""
