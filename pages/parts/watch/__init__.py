"""View of a training job, for owner and viewers: headline with three figures (`headline`, `leak`), three
panels (`trio`), details (`more`).
"""
